// scripts/fuzz squad: a JSON file of questions, beside a small vocabulary.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "data/formats/squad.h"
#include "data/fuzz_testing.h"
#include "data/text/question_collate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  const auto& folder = fuzz_folder();
  constexpr std::string_view pieces =
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\nold\n##er\na\n##a\n?\n.\n\xE4\xB8\xAD\n";
  [[maybe_unused]] static const bool once = [&] {
    put_file(folder / vocabulary_file,
             {reinterpret_cast<const uint8_t*>(pieces.data()), pieces.size()});
    return true;
  }();
  put_file(folder / squad_train_file, {data, size});
  const auto opened = open_squad(folder, Split::train);
  fetch_all(opened);
  if (!opened.ok()) return 0;
  const DatasetPtr set = *with_row_tokens(*opened, fewest_row_tokens);
  const CollatePtr collate = *open_question_collate(*set, {.training = true});
  const auto scratch = collate->scratch();
  BatchBuffer batch = *BatchBuffer::create(collate->layout(), 1);
  RawSample sample;
  for (int64_t i = 0; i < std::min<int64_t>(set->size(), 50); ++i) {
    batch.clear();
    if (!set->fetch(i, sample).ok() || !collate->add(sample, 0, scratch.get(), batch).ok())
      continue;
    batch.commit();
    const BatchView view = batch.view();
    const int64_t start = view.values<int64_t>(start_tensor)[0];
    const int64_t end = view.values<int64_t>(end_tensor)[0];
    if (start < 0 || end < start || end >= fewest_row_tokens) std::abort();
    for (const int64_t id : view.values<int64_t>(ids_tensor))
      if (id < 0 || id >= set->classes()) std::abort();
  }
  return 0;
}
