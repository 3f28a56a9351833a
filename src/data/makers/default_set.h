// Data sets for workloads that were given none: drawn once, kept in a cache folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/status.h"
#include "data/makers/make.h"

namespace flyball {

/// Where the drawn set of a kind is kept.
std::filesystem::path default_dataset_folder(const std::string& kind);

/// The drawn set of a kind, in its true format: 60,000 digits for "mnist", 5,000 training samples
/// for "cifar10", 1,000 pictures of 500 × 375 in 10 classes for "images" and "gld23k", 1,000 of 80
/// categories for "coco", 60,000 windows of 35 words for "wikitext", 10,000 questions for "squad".
/// Made on first use, in cache_folder() (base/places.h); `making` is called before, with what is
/// drawn and where. Equal on every machine. Its folder is named by kind and by the version of what
/// draws it
/// ("mnist-v1"), so that nothing of an earlier version is taken for it.
Result<std::filesystem::path> default_dataset(
    const std::string& kind, const std::function<void(const std::string& what)>& making = {});

/// Another set, drawn once likewise: `name` tells it from all others, and stands in its folder's.
Result<std::filesystem::path> drawn_dataset(
    const std::string& name, const std::string& kind, int64_t samples, const MakeOptions& options,
    const std::function<void(const std::string& what)>& making = {});

/// Made beside its place and moved there, so that what is there is whole; whoever else makes the
/// same meanwhile, on this host or another one that sees the folder, is not disturbed.
Status make_whole_dataset(const std::string& kind, int64_t samples,
                          const std::filesystem::path& folder, const MakeOptions& options);

}  // namespace flyball
