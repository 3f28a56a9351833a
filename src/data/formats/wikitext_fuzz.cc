// scripts/fuzz wikitext: text files, their windows and their words.
#include <cstdint>
#include <cstdlib>

#include "data/formats/wikitext.h"
#include "data/fuzz_testing.h"
#include "data/text/text_dataset.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  const auto& folder = fuzz_folder();
  put_file(folder / "wiki.train.tokens", {data, size});
  const auto set = open_wikitext(folder, Split::train, {.window = 3, .words = 20});
  fetch_all(set);
  if (!set.ok()) return 0;
  const auto collate = *open_text_collate(**set, {.training = true});
  auto batch = *BatchBuffer::create(collate->layout(), 1);
  const auto scratch = collate->scratch();
  RawSample sample;
  for (int64_t i = 0; i < std::min<int64_t>((*set)->size(), 50); ++i) {
    batch.clear();
    std::vector<int64_t> shown;
    if (!(*set)->fetch(i, sample).ok()) continue;
    const bool sound = (*set)->check(sample, shown).ok();
    if (collate->add(sample, 1, scratch.get(), batch).ok() != sound) std::abort();
    if (!sound) continue;
    batch.commit();
    for (const char* tensor : {ids_tensor, next_tensor})
      for (const int64_t id : batch.view().values<int64_t>(tensor))
        if (id < 0 || id >= (*set)->classes()) std::abort();
  }
  return 0;
}
