-- A store of version 3: three runs of version5.sql without the columns that came later.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE "boards"(
  id INTEGER PRIMARY KEY,
  device TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  UNIQUE(device, fingerprint));
INSERT INTO "boards" VALUES(1,'orin_agx','Jetson AGX Orin, 12 cores; Linux of a tree; L4T R36.4.3; network on cpu');
INSERT INTO "boards" VALUES(2,'orin_agx','table of net infer on orin_agx, 2 rows, content c82dd6d593e59f81');
CREATE TABLE conditions(id INTEGER PRIMARY KEY, entries TEXT NOT NULL UNIQUE);
INSERT INTO "conditions" VALUES(1,'{}');
INSERT INTO "conditions" VALUES(2,'{"CPU governor":"schedutil","CUDA_HOME":"/usr/local/cuda","DVFS":"free","GPU governor":"nvhost_podgov","LibTorch":"LibTorch 1.13.0","dataset":"/home/user/digits","dataset files":"2 with 471024 bytes of 2026-11-24T19:01:25.005Z (f5df8b2e)","dataset kind":"mnist","dataset samples":"600","fan":"by temperature","library libblas.so.3":"/usr/lib/x86_64-linux-gnu/openblas-openmp/libblas.so.3, 428400 bytes","library libdnnl.so.2":"/usr/lib/x86_64-linux-gnu/libdnnl.so.2.6, 39644304 bytes","library libgomp.so.1":"/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0, 290392 bytes","library libjpeg.so.62":"/usr/lib/x86_64-linux-gnu/libjpeg.so.62.3.0, 600128 bytes","library libopenblas.so.0":"/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblasp-r0.3.21.so, 36555192 bytes","library libtorch_cpu.so.1.13":"/usr/lib/x86_64-linux-gnu/libtorch_cpu.so.1.13.0, 119940888 bytes","power":"module","procedure":"2"}');
CREATE TABLE jobs(
  id INTEGER PRIMARY KEY,
  workload TEXT NOT NULL,
  phase TEXT NOT NULL,
  settings TEXT NOT NULL,
  UNIQUE(workload, phase, settings));
INSERT INTO "jobs" VALUES(1,'lenet5','train','{"batch_size":16.0,"loader_workers":0.0,"prefetch":0.0}');
INSERT INTO "jobs" VALUES(2,'net','infer','{"batch_size":1.0}');
CREATE TABLE measurements(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  board_id INTEGER NOT NULL REFERENCES "boards"(id),
  job_id INTEGER NOT NULL REFERENCES jobs(id),
  mode TEXT NOT NULL,
  provenance TEXT NOT NULL,
  minibatch_ms REAL, noise REAL, stall_ms REAL, compute_ms REAL,
  first_stall_ms REAL, first_compute_ms REAL, first_e2e_ms REAL,
  minibatches BLOB NOT NULL,
  power_total TEXT,
  power_w REAL, power_noise REAL,
  power_samples_wanted INTEGER, power_samples_got INTEGER, power_updates INTEGER,
  power_energy_j REAL, power_window_s REAL,
  power_trace BLOB NOT NULL,
  power_gap TEXT NOT NULL,
  stop_reason TEXT NOT NULL,
  settle_s REAL, warm_up_s REAL, total_s REAL,
  throttled INTEGER NOT NULL,
  repeated INTEGER NOT NULL,
  failure TEXT NOT NULL,
  started_utc TEXT NOT NULL,
  seed INTEGER NOT NULL, condition_id INTEGER REFERENCES conditions(id), other_cores REAL);
INSERT INTO "measurements" VALUES(1,1,1,'{"cpu_cores":1.0,"cpu_mhz":2201.6,"gpu_mhz":612.0,"mem_mhz":3199.0}','measured',5.00611533333333369455e+00,8.71833183029568359323e-02,6.11090789473684170562e-02,5.15975625,0.056205,6.52496500000000079211e+00,6.595648,X'8AC105E8CD8904A4ED1B0EBEDE0282ABB2018E924600C61185B4C901B45E00F7E801819313BA5800FD199FCF04F8CF0800BC17B69818FC4800918E019AE98901943E00A04C91FC21EC3500811CE5868D019C47009A47BCE4ED0ACE4900D42E8F9D9B05CE4B00EF44DFD25BB44900E258A1A19903FA4800BAFB02A1F610CC4900E99201DEF24DB44400C39D0295D9F001C44700D57BAFA03E9A4A00F458BA8B42DE4E00C659E685E201DE56008A1BD2BCA201D84700D133D388D402D24D009AC203ACAE68A0E803008FD8038BED3BDC4400F120C3CC38BA4100B109D6B2B105DE4900851EBBCAB405CA4900942CD3F61EA84D00AF4A97FE09E0800202B2D802A3EB13B04700AB0286AD1AAE3D00A5BF01FACE0A8A3A008754FB8033E64000EB16F49607F843008A56A4F209D2860100DC09BC9F12F83E00B71086A6038048008657C0A823BA5800F917CBB409D24D00C069E2F828B64E00D1A8028DD71CF8C139009ECA019408984500E131E7C16C9A4A009350FBA68001D23B009C9802BEB2BA018CBF0300F58F02C6BA09A44100BA96018A9347BA4300BD9D0189DC33BA4B008CE803B88CFE01B64100EBE103CDE9F901B0470082AA01F1DE27C454008F5B92BB2FB047009C9906A3A735FE4000CC9C02B8EE2BAE4500B7BC09BBA51FFA4800D880019ACD51C04000896B9DC94A98520094D00396FF10F0490083D90282B82CCA4400FAD902CBBF42844D00A7CF0291D702844000B13FCBFD0AA241009F13F6E4298A4700D935D3FE278A4700BAFD0DE48E108C4900DDCA0D96B9A704ECFE0102BCC404A4C23AE4FCF40300ADD004C5EEAA04E64000BA46F2DB8901B24700ECF9019588D401944D008666E09BE004F63C0086C5038D8FF301EC4C00B9F706DCA3B302C84400E919DFB29805824000FE0F8A91AA029838008F1D84C711F44100B63CEAF59102A45300','module',21.338476432497,9e999,120,126,0,8.5936491587549976856e+00,0.402730213,X'','','time cap 0.4 s',0.050571628,1.020598076,1.6355415770000001352e+00,0,0,'','2026-11-24T19:01:27Z',1,2,1.24005698908239314626e+00);
INSERT INTO "measurements" VALUES(2,2,2,'{"gpu_mhz":612.0}','table',40.0,0.0,0.0,0.0,0.0,0.0,0.0,X'','module',10.0,0.0,0,0,0,0.0,0.0,X'','','read from a table',0.0,0.0,0.0,0,0,'','2026-11-24T19:02:04Z',0,1,NULL);
INSERT INTO "measurements" VALUES(3,2,2,'{"gpu_mhz":1020.0}','table',10.0,0.0,0.0,0.0,0.0,0.0,0.0,X'','module',30.0,0.0,0,0,0,0.0,0.0,X'','','read from a table',0.0,0.0,0.0,0,0,'','2026-11-24T19:02:04Z',0,1,NULL);
INSERT INTO "measurements" VALUES(4,2,2,'{"gpu_mhz":1020.0}','table',10.0,0.0,0.0,0.0,0.0,0.0,0.0,X'','module',30.0,0.0,0,0,0,0.0,0.0,X'','','read from the table',0.0,0.0,0.0,0,0,'','',0,1,NULL);
INSERT INTO "measurements" VALUES(5,2,2,'{"gpu_mhz":612.0}','table',40.0,0.0,0.0,0.0,0.0,0.0,0.0,X'','module',10.0,0.0,0,0,0,0.0,0.0,X'','','read from the table',0.0,0.0,0.0,0,0,'','',0,1,NULL);
CREATE TABLE migrations(
  version INTEGER PRIMARY KEY,
  applied_utc TEXT NOT NULL,
  flyball TEXT NOT NULL);
INSERT INTO "migrations" VALUES(1,'2026-11-24T19:01:27Z','0.1.0');
INSERT INTO "migrations" VALUES(2,'2026-11-24T19:01:27Z','0.1.0');
INSERT INTO "migrations" VALUES(3,'2026-11-24T19:01:27Z','0.1.0');
CREATE TABLE run_measurements(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  measurement_id INTEGER NOT NULL REFERENCES measurements(id),
  reused INTEGER NOT NULL,
  PRIMARY KEY(run_id, position)) WITHOUT ROWID;
INSERT INTO "run_measurements" VALUES(1,0,1,0);
INSERT INTO "run_measurements" VALUES(7,0,2,0);
INSERT INTO "run_measurements" VALUES(7,1,3,0);
INSERT INTO "run_measurements" VALUES(8,0,4,0);
INSERT INTO "run_measurements" VALUES(8,1,5,0);
CREATE TABLE runs(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  command TEXT NOT NULL,
  request TEXT NOT NULL,
  device TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  seed INTEGER NOT NULL,
  started_utc TEXT NOT NULL,
  finished_utc TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL CHECK(state IN ('running', 'done', 'interrupted', 'failed')),
  answer TEXT NOT NULL DEFAULT '',
  process TEXT NOT NULL, condition_id INTEGER REFERENCES conditions(id));
INSERT INTO "runs" VALUES(1,'flyball tune lenet5 --root /home/user/tree --data /home/user/digits --axis gpu_mhz=612 --axis cpu_cores=1 --axis cpu_mhz=2201.6 --axis mem_mhz=3199 --axis loader_workers=0 --trial-time 0.4s --no-verify -q','{"workload":"lenet5","phase":"train","device":"orin_agx","objective":"time","power_budget_w":null,"time_budget_s":null,"energy_budget_j":null,"profiles_limit":10,"strategy":"flyball","predictor":"auto","seed":1,"references":[],"samples":600.0,"measured":[{"workload":"lenet5","axes":[{"name":"cpu_cores","values":[1.0]},{"name":"cpu_mhz","values":[2201.6]},{"name":"gpu_mhz","values":[612.0]},{"name":"mem_mhz","values":[3199.0]},{"name":"loader_workers","values":[0.0]},{"name":"prefetch","values":[0.0]}],"configurations":1,"trial_cap_s":0.4}],"verify":false,"profiles_asked":false}','orin_agx','Jetson AGX Orin, 12 cores; Linux of a tree; L4T R36.4.3; network on cpu',1,'2026-11-24T19:01:27Z','2026-11-24T19:01:29Z','done','{"request":{"workload":"lenet5","phase":"train","device":"orin_agx","objective":"time","power_budget_w":null,"time_budget_s":null,"energy_budget_j":null,"profiles_limit":10,"strategy":"flyball","predictor":"auto","seed":1,"references":[],"asked":"objective time","budget_span":"epoch","samples":600.0},"device":{"name":"orin_agx","title":"Jetson AGX Orin, 12 cores","fingerprint":"Jetson AGX Orin, 12 cores; Linux of a tree; L4T R36.4.3; network on cpu","conditions":{"CPU governor":"schedutil","CUDA_HOME":"/usr/local/cuda","DVFS":"free","GPU governor":"nvhost_podgov","LibTorch":"LibTorch 1.13.0","dataset":"/home/user/digits","dataset files":"2 with 471024 bytes of 2026-11-24T19:01:25.005Z (f5df8b2e)","dataset kind":"mnist","dataset samples":"600","fan":"by temperature","library libblas.so.3":"/usr/lib/x86_64-linux-gnu/openblas-openmp/libblas.so.3, 428400 bytes","library libdnnl.so.2":"/usr/lib/x86_64-linux-gnu/libdnnl.so.2.6, 39644304 bytes","library libgomp.so.1":"/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0, 290392 bytes","library libjpeg.so.62":"/usr/lib/x86_64-linux-gnu/libjpeg.so.62.3.0, 600128 bytes","library libopenblas.so.0":"/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblasp-r0.3.21.so, 36555192 bytes","library libtorch_cpu.so.1.13":"/usr/lib/x86_64-linux-gnu/libtorch_cpu.so.1.13.0, 119940888 bytes","power":"module","procedure":"2"},"power_total":"module","power_gap":null,"gaps":[]},"choice":{"config":{"cpu_cores":1.0,"cpu_mhz":2201.6,"gpu_mhz":612.0,"loader_workers":0.0,"mem_mhz":3199.0,"prefetch":0.0},"minibatch_ms":5.006115333333334,"minibatch_ms_90":[4.337319083051341,5.778037135558022],"power_w":21.338476432497,"power_w_90":null,"minibatch_j":0.10682287405869521,"sample_ms":0.31288220833333336,"sample_j":0.006676429628668451,"epoch_s":0.19023238266666667,"epoch_j":4.059269214230418,"readings":[{"minibatch_ms":5.006115333333334,"power_w":21.338476432497}],"provenance":"measured"},"infeasible":null,"default":{"config":{"cpu_cores":1.0,"cpu_mhz":2201.6,"gpu_mhz":612.0,"loader_workers":0.0,"mem_mhz":3199.0,"prefetch":0.0},"minibatch_ms":5.006115333333334,"minibatch_ms_90":[4.337319083051341,5.778037135558022],"power_w":21.338476432497,"power_w_90":null,"minibatch_j":0.10682287405869521,"sample_ms":0.31288220833333336,"sample_j":0.006676429628668451,"epoch_s":0.19023238266666667,"epoch_j":4.059269214230418,"readings":[{"minibatch_ms":5.006115333333334,"power_w":21.338476432497}],"provenance":"measured","reason":"all cores, data loaded inline, as PyTorch''s DataLoader does unless told otherwise"},"per":"minibatch","comparison":{"text":"the default is already the best found","per":"minibatch","established":false,"doubt":"they are the same configuration","time":{"pct":0.0,"established":false},"power":{"pct":0.0,"established":false},"energy":{"pct":0.0,"established":false}},"effort":"1 of 1 configurations profiled in 1.65 s","reused":[],"profiles":1,"trials":1,"profiled":[{"config":{"cpu_cores":1.0,"cpu_mhz":2201.6,"gpu_mhz":612.0,"loader_workers":0.0,"mem_mhz":3199.0,"prefetch":0.0},"minibatch_ms":5.006115333333334,"power_w":21.338476432497,"power_gap":null,"power_total":"module","power_noise_pct":null,"power_updates":null,"power_samples":null,"power_samples_wanted":null,"window_s":null,"window_j":null,"stall_ms":0.06110907894736842,"compute_ms":5.15975625,"noise_pct":8.718331830295684,"minibatches":76,"first_ms":6.595648,"provenance":"measured","stop_reason":"time cap 0.4 s","settle_s":0.050571628,"warm_up_s":1.020598076,"power_settled":true,"total_s":1.6355415770000001,"measured_utc":"2026-11-24T19:01:27Z","other_cores":1.2400569890823931,"throttled":false,"clocks":[{"axis":"cpu_cores","unit":"","asked":1.0,"seen_mean":1.0,"seen_min":1.0},{"axis":"cpu_mhz","unit":"MHz","asked":2201.6,"seen_mean":2201.6,"seen_min":2201.6},{"axis":"gpu_mhz","unit":"MHz","asked":612.0,"seen_mean":612.0,"seen_min":612.0},{"axis":"mem_mhz","unit":"MHz","asked":3199.0,"seen_mean":3199.0,"seen_min":3199.0}],"disturbed":null,"repeat":false,"failure":null,"figures":{},"seed":1,"reason":"the default, so that the answer is never worse","verification":false,"from_store":false,"run":1}],"set_aside":[],"front":[{"config":{"cpu_cores":1.0,"cpu_mhz":2201.6,"gpu_mhz":612.0,"loader_workers":0.0,"mem_mhz":3199.0,"prefetch":0.0},"minibatch_ms":5.006115333333334,"minibatch_ms_90":[4.337319083051341,5.778037135558022],"power_w":21.338476432497,"power_w_90":null,"minibatch_j":0.10682287405869521,"sample_ms":0.31288220833333336,"sample_j":0.006676429628668451,"epoch_s":0.19023238266666667,"epoch_j":4.059269214230418,"readings":[{"minibatch_ms":5.006115333333334,"power_w":21.338476432497}],"provenance":"measured"}],"configurations":1,"modes":{"asked":"all","kept":1,"of":1,"seed":null,"notes":[]},"stopped":"there is nothing left to try","notes":["other processes kept 1.2 cores busy during the median trial (at most 1.2): on a quiet machine times may be shorter (--fresh measures again)"],"started_utc":"2026-11-24T19:01:27Z","seconds":1.6504951460000001,"own_seconds":0.011042195000000143}','',2);
INSERT INTO "runs" VALUES(7,'flyball import net.csv','{"import":"net infer on orin_agx"}','orin_agx','table of net infer on orin_agx, 2 rows, content c82dd6d593e59f81',0,'2026-11-24T19:02:04Z','2026-11-24T19:02:04Z','done','','',1);
INSERT INTO "runs" VALUES(8,'flyball tune net --device table:net.csv --power-budget 20W -q','{"workload":"net","phase":"infer","device":"orin_agx","objective":"time","power_budget_w":20.0,"time_budget_s":null,"energy_budget_j":null,"profiles_limit":10,"strategy":"flyball","predictor":"auto","seed":1,"references":[],"samples":0.0,"measured":[{"workload":"net","axes":[{"name":"batch_size","values":[1.0]},{"name":"gpu_mhz","values":[612.0,1020.0]}],"configurations":2,"trial_cap_s":0.0}],"verify":true,"profiles_asked":false}','orin_agx','table of net infer on orin_agx, 2 rows, content c82dd6d593e59f81',1,'2026-11-24T19:02:04Z','2026-11-24T19:02:04Z','done','{"request":{"workload":"net","phase":"infer","device":"orin_agx","objective":"time","power_budget_w":20.0,"time_budget_s":null,"energy_budget_j":null,"profiles_limit":10,"strategy":"flyball","predictor":"auto","seed":1,"references":[],"asked":"objective time, power ≤ 20 W","budget_span":"minibatch","samples":null},"device":{"name":"orin_agx","title":"table of net infer on orin_agx","fingerprint":"table of net infer on orin_agx, 2 rows, content c82dd6d593e59f81","conditions":{},"power_total":"module","power_gap":null,"gaps":[]},"choice":{"config":{"batch_size":1.0,"gpu_mhz":612.0},"minibatch_ms":40.0,"minibatch_ms_90":null,"power_w":10.0,"power_w_90":null,"minibatch_j":0.4,"sample_ms":40.0,"sample_j":0.4,"epoch_s":null,"epoch_j":null,"readings":[{"minibatch_ms":40.0,"power_w":10.0}],"provenance":"table"},"infeasible":null,"default":{"config":{"batch_size":1.0,"gpu_mhz":1020.0},"minibatch_ms":10.0,"minibatch_ms_90":null,"power_w":30.0,"power_w_90":null,"minibatch_j":0.3,"sample_ms":10.0,"sample_j":0.3,"epoch_s":null,"epoch_j":null,"readings":[{"minibatch_ms":10.0,"power_w":30.0}],"provenance":"table","reason":"the highest value of each board axis (MAXN)"},"per":"minibatch","comparison":{"text":"300.0 % more time per minibatch, 66.7 % less power, 33.3 % more energy per minibatch than the default","per":"minibatch","established":true,"doubt":null,"time":{"pct":300.0,"established":true},"power":{"pct":-66.66666666666667,"established":true},"energy":{"pct":33.33333333333335,"established":true}},"effort":"2 of 2 configurations profiled in 22.7 ms","reused":[],"profiles":2,"trials":2,"profiled":[{"config":{"batch_size":1.0,"gpu_mhz":1020.0},"minibatch_ms":10.0,"power_w":30.0,"power_gap":null,"power_total":"module","power_noise_pct":null,"power_updates":null,"power_samples":null,"power_samples_wanted":null,"window_s":null,"window_j":null,"stall_ms":null,"compute_ms":null,"noise_pct":null,"minibatches":0,"first_ms":null,"provenance":"table","stop_reason":"read from the table","settle_s":0.0,"warm_up_s":0.0,"power_settled":null,"total_s":0.0,"measured_utc":null,"other_cores":null,"throttled":null,"clocks":[],"disturbed":null,"repeat":false,"failure":null,"figures":{},"seed":0,"reason":"the default, so that the answer is never worse","verification":false,"from_store":false,"run":8},{"config":{"batch_size":1.0,"gpu_mhz":612.0},"minibatch_ms":40.0,"power_w":10.0,"power_gap":null,"power_total":"module","power_noise_pct":null,"power_updates":null,"power_samples":null,"power_samples_wanted":null,"window_s":null,"window_j":null,"stall_ms":null,"compute_ms":null,"noise_pct":null,"minibatches":0,"first_ms":null,"provenance":"table","stop_reason":"read from the table","settle_s":0.0,"warm_up_s":0.0,"power_settled":null,"total_s":0.0,"measured_utc":null,"other_cores":null,"throttled":null,"clocks":[],"disturbed":null,"repeat":false,"failure":null,"figures":{},"seed":0,"reason":"to begin with: everything a third of the way up","verification":false,"from_store":false,"run":8}],"set_aside":[],"front":[{"config":{"batch_size":1.0,"gpu_mhz":612.0},"minibatch_ms":40.0,"minibatch_ms_90":null,"power_w":10.0,"power_w_90":null,"minibatch_j":0.4,"sample_ms":40.0,"sample_j":0.4,"epoch_s":null,"epoch_j":null,"readings":[{"minibatch_ms":40.0,"power_w":10.0}],"provenance":"table"},{"config":{"batch_size":1.0,"gpu_mhz":1020.0},"minibatch_ms":10.0,"minibatch_ms_90":null,"power_w":30.0,"power_w_90":null,"minibatch_j":0.3,"sample_ms":10.0,"sample_j":0.3,"epoch_s":null,"epoch_j":null,"readings":[{"minibatch_ms":10.0,"power_w":30.0}],"provenance":"table"}],"configurations":2,"modes":null,"stopped":"everything was measured","notes":[],"started_utc":"2026-11-24T19:02:04Z","seconds":0.022734781000000003,"own_seconds":0.022322127000000004}','',1);
CREATE INDEX measurements_by_trial ON measurements(board_id, job_id, mode, provenance);
CREATE INDEX run_measurements_by_measurement ON run_measurements(measurement_id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('runs',8);
INSERT INTO "sqlite_sequence" VALUES('measurements',5);
COMMIT;
PRAGMA user_version=3;
PRAGMA application_id=1179408706;
