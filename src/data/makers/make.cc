// make_dataset: synthetic sets in their true formats.
#include "data/makers/make.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/csv.h"
#include "base/files.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/text.h"
#include "data/formats/cifar.h"
#include "data/formats/open.h"
#include "data/makers/coco_maker.h"
#include "data/makers/digits.h"
#include "data/makers/questions.h"
#include "data/makers/text.h"
#include "data/makers/write_pictures.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
Status make_picture(const fs::path& path, int64_t index, int64_t label,
                    const MakeOptions& options) {
  return write_picture(path, draw_picture(options.seed, index, label, options.size), options.size);
}

Status make_images(int64_t samples, const fs::path& out, const MakeOptions& options) {
  const int64_t classes = std::min(options.classes, samples);
  for (int64_t c = 0; c < classes; ++c)
    FLYBALL_CHECK(make_folder(out / fmt::format("class_{:03}", c)));
  return for_each_sample(samples, options.threads, [&](int64_t i) {
    const fs::path path = fmt::format("class_{:03}/{:06}.jpg", i % classes, i);
    return make_picture(out / path, i, i % classes, options);
  });
}

Status make_gld23k_part(const std::string& part, int64_t first, int64_t samples,
                        const fs::path& out, const MakeOptions& options) {
  const auto id = [&](int64_t i) {
    return fmt::format("{:016x}", mix_seed(options.seed, static_cast<uint64_t>(i)));
  };
  std::string csv = csv_line({"user_id", "image_id", "class"});
  for (int64_t i = first; i < first + samples; ++i)
    csv +=
        csv_line({std::to_string((i - first) / 100), id(i), std::to_string(i % options.classes)});
  FLYBALL_CHECK(write_file(out / "data_user_dict" / ("gld23k_user_dict_" + part + ".csv"), csv));
  return for_each_sample(samples, options.threads, [&](int64_t i) {
    const int64_t index = first + i;
    return make_picture(out / "images" / (id(index) + ".jpg"), index, index % options.classes,
                        options);
  });
}

Status make_gld23k(int64_t samples, const fs::path& out, const MakeOptions& options) {
  FLYBALL_CHECK(make_folder(out / "images"));
  FLYBALL_CHECK(make_gld23k_part("train", 0, samples, out, options));
  const int64_t test = std::max<int64_t>(1, samples / 10);
  return make_gld23k_part("test", kTestOffset, test, out, options);
}

Status make_cifar10(int64_t samples, const fs::path& out, const MakeOptions& options) {
  for (const Split split : {Split::train, Split::test}) {
    const int64_t count = split == Split::train ? samples : std::max<int64_t>(1, samples / 5);
    const int64_t first = split == Split::train ? 0 : kTestOffset;
    std::vector<uint8_t> images(static_cast<size_t>(count) * kCifarPixels);
    std::vector<uint8_t> labels(static_cast<size_t>(count));
    parallel_for(
        static_cast<size_t>(count),
        [&](size_t i) {
          const int64_t index = first + static_cast<int64_t>(i);
          labels[i] = static_cast<uint8_t>(
              Random(mix_seed(options.seed, static_cast<uint64_t>(index))).below(10));
          const auto rgb = draw_picture(options.seed, index, labels[i], {kCifarSide, kCifarSide});
          const size_t plane = kCifarPixels / 3;
          for (size_t p = 0; p < kCifarPixels; ++p)
            images[i * kCifarPixels + p % 3 * plane + p / 3] = rgb[p];
        },
        options.threads);
    FLYBALL_CHECK(write_cifar10(out, split, images, labels));
  }
  return {};
}

Status check_request(const std::string& kind, int64_t samples, const fs::path& out,
                     const MakeOptions& options) {
  const auto bad = [](const std::string& what, const std::string& hint) {
    return Error{Code::invalid_argument, what, hint};
  };
  std::vector<std::string> kinds = dataset_kinds();
  kinds.push_back("digits");
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    return bad(fmt::format("there is no data set of kind '{}'", kind), "use " + join(kinds, ", "));
  if (samples < 1 || samples > 100'000'000)
    return bad(fmt::format("{} samples", samples), "give 1 to 100,000,000");
  if (kind == "cifar10" && samples < 5)
    return bad("CIFAR-10 has five files, so at least 5 samples", "give 5 or more");
  if (kind == "squad" && samples > 1'000'000)
    return bad(fmt::format("{} questions", samples),
               "give 1,000,000 at most: a file of 1 GiB is read");
  if (options.classes < 0 || options.classes > 100'000)
    return bad(fmt::format("{} classes", options.classes), "give 1 to 100,000");
  const auto sane = [](int side) { return side >= 8 && side <= 8192; };
  if (!sane(options.size.width) || !sane(options.size.height))
    return bad("pictures of that size", "give sides of 8 to 8192 pixels");
  std::error_code ignored;
  if (fs::exists(out, ignored) && !fs::is_empty(out, ignored))
    return Error{Code::conflict, fmt::format("{} is not empty", out.string()),
                 "choose a new folder, or empty this one first"};
  return {};
}

Status make_files(const std::string& kind, int64_t samples, const fs::path& out,
                  const MakeOptions& options) {
  if (kind == "images") return make_images(samples, out, options);
  if (kind == "gld23k") return make_gld23k(samples, out, options);
  if (kind == "coco") return make_coco(samples, out, options);
  if (kind == "cifar10") return make_cifar10(samples, out, options);
  if (kind == "wikitext") return make_wikitext(samples, out, options.seed);
  if (kind == "squad")
    return make_questions(
        out, {.train = samples, .dev = std::max<int64_t>(1, samples / 10), .seed = options.seed});
  return make_digits(out,
                     {samples, std::max<int64_t>(1, samples / 6), options.seed, options.threads});
}

}  // namespace

Status make_dataset(const std::string& kind, int64_t samples, const fs::path& out,
                    const MakeOptions& options) {
  FLYBALL_CHECK(check_request(kind, samples, out, options));
  // Whoever looks meanwhile, or after we were killed, must not take a part for the whole.
  const fs::path mark = out / unfinished_mark;
  FLYBALL_CHECK(write_file(mark, "flyball has not finished this data set\n"));
  MakeOptions complete = options;
  if (complete.classes == 0) complete.classes = kind == "coco" ? kCocoCategories : 10;
  FLYBALL_CHECK(make_files(kind, samples, out, complete));
  std::error_code problem;
  if (!fs::remove(mark, problem)) return file_error("remove", mark, problem.value());
  return {};
}

}  // namespace flyball
