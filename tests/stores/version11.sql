-- A store of version 11: version9.sql, brought to it by its migrations.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE board_facts(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK(kind IN ('idle power', 'switch cost', 'roofs')),
  device TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  json TEXT NOT NULL,
  measured_utc TEXT NOT NULL,
  command TEXT NOT NULL, store_id INTEGER REFERENCES stores(id), store_run INTEGER);
CREATE TABLE IF NOT EXISTS "boards"(
  id INTEGER PRIMARY KEY,
  device TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  UNIQUE(device, fingerprint));
INSERT INTO boards VALUES(1,'orin_agx','table of net infer on orin_agx, 2 rows, content c82dd6d593e59f81');
INSERT INTO boards VALUES(3,'host','a CPU, 2 cores; Linux 6.1 x86_64');
CREATE TABLE conditions(id INTEGER PRIMARY KEY, entries TEXT NOT NULL UNIQUE);
INSERT INTO conditions VALUES(1,'{}');
INSERT INTO conditions VALUES(3,'{"axes of the program":"read by it","file /usr/bin/sleep":"43888 bytes of 2022-09-20T15:27:27.000Z","power":"none","procedure":"2","program":"/usr/bin/sleep","working folder":"/home/user"}');
INSERT INTO conditions VALUES(4,'{"power":"told by the program","procedure":"2","working folder":"/home/user"}');
CREATE TABLE experiment_runs(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  board_id INTEGER NOT NULL REFERENCES boards(id),
  condition_id INTEGER REFERENCES conditions(id),
  settings TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  figures TEXT NOT NULL, store_id INTEGER REFERENCES stores(id), store_row INTEGER);
CREATE TABLE jobs(
  id INTEGER PRIMARY KEY,
  workload TEXT NOT NULL,
  phase TEXT NOT NULL,
  settings TEXT NOT NULL,
  UNIQUE(workload, phase, settings));
INSERT INTO jobs VALUES(1,'net','infer','{"batch_size":1.0}');
INSERT INTO jobs VALUES(4,'mine','train','{"batch_size":8.0}');
INSERT INTO jobs VALUES(5,'mine','train','{"batch_size":16.0}');
INSERT INTO jobs VALUES(6,'sleep 0.06','train','{}');
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
  seed INTEGER NOT NULL, condition_id INTEGER REFERENCES conditions(id), other_cores REAL, figures TEXT NOT NULL DEFAULT '{}', throttling_watched INTEGER NOT NULL DEFAULT 0, origin TEXT NOT NULL DEFAULT 'live', span TEXT NOT NULL DEFAULT 'minibatch', disturbed_by TEXT NOT NULL DEFAULT '', clocks TEXT NOT NULL DEFAULT '[]', store_id INTEGER REFERENCES stores(id), store_row INTEGER);
INSERT INTO measurements VALUES(1,1,1,'{"gpu_mhz":612.0}','table',40.0,0.0,0.0,0.0,0.0,0.0,0.0,X'','module',10.0,0.0,0,0,0,0.0,0.0,X'','','read from a table',0.0,0.0,0.0,0,0,'','2026-11-24T22:22:25Z',0,1,NULL,'{}',0,'imported','minibatch','','[]',NULL,NULL);
INSERT INTO measurements VALUES(2,1,1,'{"gpu_mhz":1020.0}','table',10.0,0.0,0.0,0.0,0.0,0.0,0.0,X'','module',30.0,0.0,0,0,0,0.0,0.0,X'','','read from a table',0.0,0.0,0.0,0,0,'','2026-11-24T22:22:25Z',0,1,NULL,'{}',0,'imported','minibatch','','[]',NULL,NULL);
INSERT INTO measurements VALUES(3,1,1,'{"gpu_mhz":1020.0}','table',10.0,0.0,0.0,0.0,0.0,0.0,0.0,X'','module',30.0,0.0,0,0,0,0.0,0.0,X'','','read from the table',0.0,0.0,0.0,0,0,'','',0,1,NULL,'{}',0,'table','minibatch','','[]',NULL,NULL);
INSERT INTO measurements VALUES(4,1,1,'{"gpu_mhz":612.0}','table',40.0,0.0,0.0,0.0,0.0,0.0,0.0,X'','module',10.0,0.0,0,0,0,0.0,0.0,X'','','read from the table',0.0,0.0,0.0,0,0,'','',0,1,NULL,'{}',0,'table','minibatch','','[]',NULL,NULL);
INSERT INTO measurements VALUES(9,3,4,'{}','measured',30.0,1.0,0.0,0.0,0.0,0.0,0.0,X'','told',12.0,1.0,0,0,0,0.0,0.0,X'','','told by the program',0.0,0.0,0.0,0,0,'','2026-11-24T22:23:35Z',0,4,NULL,'{"accuracy":0.5}',0,'told','minibatch','','[]',NULL,NULL);
INSERT INTO measurements VALUES(10,3,5,'{}','measured',30.0,1.0,0.0,0.0,0.0,0.0,0.0,X'','told',12.0,1.0,0,0,0,0.0,0.0,X'','','told by the program',0.0,0.0,0.0,0,0,'','2026-11-24T22:23:35Z',0,4,NULL,'{"accuracy":0.5}',0,'told','minibatch','','[]',NULL,NULL);
INSERT INTO measurements VALUES(11,3,5,'{}','measured',30.0,1.0,0.0,0.0,0.0,0.0,0.0,X'','told',12.0,1.0,0,0,0,0.0,0.0,X'','','told by the program',0.0,0.0,0.0,0,1,'','2026-11-24T22:23:35Z',0,4,NULL,'{"accuracy":0.5}',0,'told','minibatch','','[]',NULL,NULL);
INSERT INTO measurements VALUES(12,3,6,'{"cpu_cores":1.0}','measured',62.445203000000006456,1.0,0.0,0.0,0.0,0.0,0.0,X'0000a6dac63b00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,X'','no RAPL energy counters on this machine; no INA3221 power rails; no NVIDIA management library (libnvidia-ml.so.1) (virtual machines and most boards have none; on x86 hardware: sudo modprobe intel_rapl_msr; Jetson boards have them; install NVIDIA''s driver, where there is such a GPU)','the program marks no minibatches: its whole run is measured',0.050094243000000003573,0.0,0.16528343900000000421,0,0,'','2026-11-24T22:23:36Z',0,3,1.9600766722107521022,'{"memory":1724416.0}',0,'live','whole run','process 19801 (flyball tune --axis cpu_cores=1 --no-verify -q --no-store -- sleep 3) since 2026-11-24T22:23:35Z','[]',NULL,NULL);
CREATE TABLE migrations(
  version INTEGER PRIMARY KEY,
  applied_utc TEXT NOT NULL,
  flyball TEXT NOT NULL);
INSERT INTO migrations VALUES(1,'2026-11-24T22:22:25Z','0.1.0');
INSERT INTO migrations VALUES(2,'2026-11-24T22:22:25Z','0.1.0');
INSERT INTO migrations VALUES(3,'2026-11-24T22:22:25Z','0.1.0');
INSERT INTO migrations VALUES(4,'2026-11-24T22:22:25Z','0.1.0');
INSERT INTO migrations VALUES(5,'2026-11-24T22:22:25Z','0.1.0');
INSERT INTO migrations VALUES(6,'2026-11-24T22:22:25Z','0.1.0');
INSERT INTO migrations VALUES(7,'2026-11-25T10:00:00Z','0.1.0');
INSERT INTO migrations VALUES(8,'2026-11-25T11:00:00Z','0.1.0');
INSERT INTO migrations VALUES(9,'2026-11-26T11:00:00Z','0.1.0');
INSERT INTO migrations VALUES(10,'2026-11-28T12:18:05Z','0.1.0');
INSERT INTO migrations VALUES(11,'2026-11-28T12:18:05Z','0.1.0');
CREATE TABLE run_experiment_runs(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  experiment_run_id INTEGER NOT NULL REFERENCES experiment_runs(id),
  reused INTEGER NOT NULL,
  PRIMARY KEY(run_id, position)) WITHOUT ROWID;
CREATE TABLE run_measurements(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  measurement_id INTEGER NOT NULL REFERENCES measurements(id),
  reused INTEGER NOT NULL,
  PRIMARY KEY(run_id, position)) WITHOUT ROWID;
INSERT INTO run_measurements VALUES(1,0,1,0);
INSERT INTO run_measurements VALUES(1,1,2,0);
INSERT INTO run_measurements VALUES(2,0,3,0);
INSERT INTO run_measurements VALUES(2,1,4,0);
INSERT INTO run_measurements VALUES(5,0,9,0);
INSERT INTO run_measurements VALUES(5,1,10,0);
INSERT INTO run_measurements VALUES(5,2,11,0);
INSERT INTO run_measurements VALUES(6,0,12,0);
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
  process TEXT NOT NULL, condition_id INTEGER REFERENCES conditions(id), store_id INTEGER REFERENCES stores(id), store_run INTEGER, record TEXT NOT NULL DEFAULT '');
INSERT INTO runs VALUES(1,'flyball import net.csv','{"import":"net infer on orin_agx"}','orin_agx','table of net infer on orin_agx, 2 rows, content c82dd6d593e59f81',0,'2026-11-24T22:22:25Z','2026-11-24T22:22:25Z','done','','00000000-0000-0000-0000-000000000000 18898 1623680',1,NULL,NULL,'');
INSERT INTO runs VALUES(2,'flyball tune net --device table:net.csv --power-budget 20W -q','{"workload":"net","phase":"infer","device":"orin_agx","objective":"time","power_budget_w":20.0,"time_budget_s":null,"energy_budget_j":null,"profiles_limit":10,"strategy":"flyball","predictor":"auto","seed":1,"references":[],"samples":0.0,"measured":[{"workload":"net","axes":[{"name":"batch_size","values":[1.0]},{"name":"gpu_mhz","values":[612.0,1020.0]}],"configurations":2,"trial_cap_s":0.0}],"verify":true,"profiles_asked":false}','orin_agx','table of net infer on orin_agx, 2 rows, content c82dd6d593e59f81',1,'2026-11-24T22:22:25Z','2026-11-24T22:22:25Z','done','{"schema":2,"request":{"workload":"net","phase":"infer","device":"orin_agx","objective":"time","power_budget_w":20.0,"time_budget_s":null,"energy_budget_j":null,"profiles_limit":10,"strategy":"flyball","predictor":"auto","seed":1,"references":[],"budget_span":"minibatch","samples":null},"asked":"objective time, power ≤ 20 W","device":{"name":"orin_agx","title":"table of net infer on orin_agx","fingerprint":"table of net infer on orin_agx, 2 rows, content c82dd6d593e59f81","conditions":{},"power_total":"module","power_gap":null,"gaps":[]},"choice":{"config":{"batch_size":1.0,"gpu_mhz":612.0},"minibatch_ms":40.0,"minibatch_ms_90":null,"power_w":10.0,"power_w_90":null,"minibatch_j":0.4,"sample_ms":40.0,"sample_j":0.4,"epoch_s":null,"epoch_j":null,"readings":[{"minibatch_ms":40.0,"power_w":10.0}],"provenance":"table"},"default":{"config":{"batch_size":1.0,"gpu_mhz":1020.0},"minibatch_ms":10.0,"minibatch_ms_90":null,"power_w":30.0,"power_w_90":null,"minibatch_j":0.3,"sample_ms":10.0,"sample_j":0.3,"epoch_s":null,"epoch_j":null,"readings":[{"minibatch_ms":10.0,"power_w":30.0}],"provenance":"table","reason":"the highest value of each board axis (MAXN)"},"per":"minibatch","comparison":{"text":"300.0 % more time per minibatch, 66.7 % less power, 33.3 % more energy per minibatch than the default","per":"minibatch","established":true,"doubt":null,"time":{"pct":300.0,"established":true},"power":{"pct":-66.66666666666667,"established":true},"energy":{"pct":33.33333333333335,"established":true}},"front":[{"config":{"batch_size":1.0,"gpu_mhz":612.0},"minibatch_ms":40.0,"minibatch_ms_90":null,"power_w":10.0,"power_w_90":null,"minibatch_j":0.4,"sample_ms":40.0,"sample_j":0.4,"epoch_s":null,"epoch_j":null,"readings":[{"minibatch_ms":40.0,"power_w":10.0}],"provenance":"table"},{"config":{"batch_size":1.0,"gpu_mhz":1020.0},"minibatch_ms":10.0,"minibatch_ms_90":null,"power_w":30.0,"power_w_90":null,"minibatch_j":0.3,"sample_ms":10.0,"sample_j":0.3,"epoch_s":null,"epoch_j":null,"readings":[{"minibatch_ms":10.0,"power_w":30.0}],"provenance":"table"}],"configurations":2,"modes":null,"infeasible":null,"effort":"2 of 2 configurations profiled in 22.4 ms","reused":[],"profiles":2,"trials":2,"profiled":[{"workload":"net","config":{"batch_size":1.0,"gpu_mhz":1020.0},"minibatch_ms":10.0,"power_w":30.0,"power_gap":null,"power_total":"module","power_noise_pct":null,"power_updates":null,"power_samples":null,"power_samples_wanted":null,"window_s":null,"window_j":null,"stall_ms":null,"compute_ms":null,"noise_pct":null,"minibatches":0,"first_ms":null,"provenance":"table","stop_reason":"read from the table","settle_s":0.0,"warm_up_s":0.0,"power_settled":null,"total_s":0.0,"measured_utc":null,"other_cores":null,"throttled":null,"clocks":[],"disturbed":null,"repeat":false,"failure":null,"figures":{},"seed":0,"reason":"the default, so that the answer is never worse","verification":false,"from_store":false,"run":2},{"workload":"net","config":{"batch_size":1.0,"gpu_mhz":612.0},"minibatch_ms":40.0,"power_w":10.0,"power_gap":null,"power_total":"module","power_noise_pct":null,"power_updates":null,"power_samples":null,"power_samples_wanted":null,"window_s":null,"window_j":null,"stall_ms":null,"compute_ms":null,"noise_pct":null,"minibatches":0,"first_ms":null,"provenance":"table","stop_reason":"read from the table","settle_s":0.0,"warm_up_s":0.0,"power_settled":null,"total_s":0.0,"measured_utc":null,"other_cores":null,"throttled":null,"clocks":[],"disturbed":null,"repeat":false,"failure":null,"figures":{},"seed":0,"reason":"to begin with: everything a third of the way up","verification":false,"from_store":false,"run":2}],"set_aside":[],"stopped":"everything was measured","run":2,"notes":[],"started_utc":"2026-11-24T22:22:25Z","seconds":0.022423477,"own_seconds":0.022035971}','00000000-0000-0000-0000-000000000000 18900 1623699',1,NULL,NULL,'');
INSERT INTO runs VALUES(5,'flyball study','{"workload":"mine","phase":"train","device":"host","objective":"time","power_budget_w":null,"time_budget_s":null,"energy_budget_j":null,"profiles_limit":10,"strategy":"flyball","predictor":"auto","seed":1,"references":[],"samples":0.0,"measured":[{"workload":"mine","axes":[{"name":"batch_size","values":[8.0,16.0]}],"configurations":2,"trial_cap_s":0.0}],"verify":true,"profiles_asked":false}','host','a CPU, 2 cores; Linux 6.1 x86_64',1,'2026-11-24T22:23:35Z','2026-11-24T22:23:35Z','interrupted','','00000000-0000-0000-0000-000000000000 19791 1630636',4,NULL,NULL,'');
INSERT INTO runs VALUES(6,'flyball tune --axis cpu_cores=1 --no-verify -q --anyway -- sleep 0.06','{"workload":"sleep 0.06","phase":"train","device":"host","objective":"time","power_budget_w":null,"time_budget_s":null,"energy_budget_j":null,"profiles_limit":10,"strategy":"flyball","predictor":"auto","seed":1,"references":[],"samples":0.0,"measured":[{"workload":"sleep 0.06","axes":[{"name":"cpu_cores","values":[1.0]}],"configurations":1,"trial_cap_s":10.0}],"verify":false,"profiles_asked":false}','host','a CPU, 2 cores; Linux 6.1 x86_64',1,'2026-11-24T22:23:36Z','2026-11-24T22:23:36Z','done','{"schema":2,"request":{"workload":"sleep 0.06","phase":"train","device":"host","objective":"time","power_budget_w":null,"time_budget_s":null,"energy_budget_j":null,"profiles_limit":10,"strategy":"flyball","predictor":"auto","seed":1,"references":[],"budget_span":"run","samples":null},"asked":"objective time","device":{"name":"host","title":"a CPU, 2 cores","fingerprint":"a CPU, 2 cores; Linux 6.1 x86_64","conditions":{"axes of the program":"read by it","file /usr/bin/sleep":"43888 bytes of 2022-09-20T15:27:27.000Z","power":"none","procedure":"2","program":"/usr/bin/sleep","working folder":"/home/user"},"power_total":null,"power_gap":"no RAPL energy counters on this machine; no INA3221 power rails; no NVIDIA management library (libnvidia-ml.so.1) (virtual machines and most boards have none; on x86 hardware: sudo modprobe intel_rapl_msr; Jetson boards have them; install NVIDIA''s driver, where there is such a GPU)","gaps":["cpu_mhz cannot be set: this kernel has no cpufreq, as in most virtual machines"]},"choice":{"config":{"cpu_cores":1.0},"minibatch_ms":62.44520300000001,"minibatch_ms_90":null,"power_w":null,"power_w_90":null,"minibatch_j":null,"sample_ms":null,"sample_j":null,"epoch_s":null,"epoch_j":null,"readings":[{"minibatch_ms":62.44520300000001,"power_w":null}],"provenance":"measured","figures":{"memory":1724416.0}},"default":{"config":{"cpu_cores":1.0},"minibatch_ms":62.44520300000001,"minibatch_ms_90":null,"power_w":null,"power_w_90":null,"minibatch_j":null,"sample_ms":null,"sample_j":null,"epoch_s":null,"epoch_j":null,"readings":[{"minibatch_ms":62.44520300000001,"power_w":null}],"provenance":"measured","reason":"all cores, and the lowest value of each axis that was opened"},"per":"run","comparison":{"text":"the default is already the best found","per":"run","established":false,"doubt":"they are the same configuration","time":{"pct":0.0,"established":false},"power":null,"energy":null},"front":[],"configurations":1,"modes":{"asked":"all","kept":1,"of":1,"seed":null,"notes":[]},"infeasible":null,"effort":"1 of 1 configurations profiled in 267 ms","reused":[],"profiles":1,"trials":1,"profiled":[{"workload":"sleep 0.06","config":{"cpu_cores":1.0},"minibatch_ms":62.44520300000001,"power_w":null,"power_gap":"no RAPL energy counters on this machine; no INA3221 power rails; no NVIDIA management library (libnvidia-ml.so.1) (virtual machines and most boards have none; on x86 hardware: sudo modprobe intel_rapl_msr; Jetson boards have them; install NVIDIA''s driver, where there is such a GPU)","power_total":null,"power_noise_pct":null,"power_updates":null,"power_samples":null,"power_samples_wanted":null,"window_s":null,"window_j":null,"stall_ms":0.0,"compute_ms":0.0,"noise_pct":null,"minibatches":1,"first_ms":null,"provenance":"measured","stop_reason":"the program marks no minibatches: its whole run is measured","settle_s":0.050094243000000004,"warm_up_s":0.0,"power_settled":null,"total_s":0.165283439,"measured_utc":"2026-11-24T22:23:36Z","other_cores":1.960076672210752,"throttled":null,"clocks":[],"disturbed":"process 19801 (flyball tune --axis cpu_cores=1 --no-verify -q --no-store -- sleep 3) since 2026-11-24T22:23:35Z","repeat":false,"failure":null,"figures":{"memory":1724416.0},"seed":0,"reason":"the default, so that the answer is never worse","verification":false,"from_store":false,"run":6}],"set_aside":[],"stopped":"there is nothing left to try","run":6,"notes":["1 of 1 trials of sleep 0.06 were disturbed: process 19801 (flyball tune --axis cpu_cores=1 --no-verify -q --no-store -- sleep 3) since 2026-11-24T22:23:35Z measured on this machine at the same time; the same command measures them again","other processes kept 2 cores busy during the median trial (at most 2): on a quiet machine times may be shorter (--fresh measures again)","the program marks no minibatches, so each trial is a whole run, which --trial-time does not cut; flyball.minibatch() after each minibatch does (docs/your-model.md)"],"started_utc":"2026-11-24T22:23:36Z","seconds":0.26690161500000004,"own_seconds":0.10133307200000002}','00000000-0000-0000-0000-000000000000 19818 1630768',3,NULL,NULL,'');
CREATE TABLE stores(
  id INTEGER PRIMARY KEY,
  store TEXT NOT NULL UNIQUE,
  own INTEGER NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  flyball TEXT NOT NULL DEFAULT '',
  collected_utc TEXT NOT NULL DEFAULT '');
INSERT INTO stores VALUES(1,'e698848f1edcaa9c5238aa2e78049bba',1,'','','');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('runs',6);
INSERT INTO sqlite_sequence VALUES('measurements',12);
CREATE INDEX measurements_by_trial ON measurements(board_id, job_id, mode, provenance);
CREATE INDEX run_measurements_by_measurement ON run_measurements(measurement_id);
CREATE INDEX experiment_runs_by_board ON experiment_runs(board_id);
CREATE INDEX run_experiment_runs_by_row ON run_experiment_runs(experiment_run_id);
CREATE UNIQUE INDEX runs_by_origin ON runs(store_id, store_run) WHERE store_id IS NOT NULL;
CREATE UNIQUE INDEX measurements_by_origin ON measurements(store_id, store_row)
  WHERE store_id IS NOT NULL;
CREATE UNIQUE INDEX experiment_runs_by_origin ON experiment_runs(store_id, store_row)
  WHERE store_id IS NOT NULL;
CREATE UNIQUE INDEX board_facts_by_origin ON board_facts(store_id, store_run)
  WHERE store_id IS NOT NULL;
COMMIT;
PRAGMA user_version=11;
PRAGMA application_id=1179408706;
