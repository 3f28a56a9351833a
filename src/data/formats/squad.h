// SQuAD v2 (Rajpurkar, Jia, Liang 2018): questions about paragraphs, some without an answer.
#pragma once

#include <filesystem>

#include "base/status.h"
#include "data/dataset.h"

namespace flyball {

/// The files of a set, in its folder.
inline constexpr const char* squad_train_file = "train-v2.0.json";
inline constexpr const char* squad_dev_file = "dev-v2.0.json";
inline constexpr const char* vocabulary_file = "vocab.txt";

/// Opens the JSON file of a split with the vocabulary beside it; samples are rows of tokens
/// (text/question_set.h), of the first answer where there are several. The texts stay in the file.
/// All of it is parsed and cut into tokens once, to know how many rows there are. What is wrong
/// with one question is an error of its samples; a file that is no JSON or holds no question is one
/// of the set.
Result<DatasetPtr> open_squad(const std::filesystem::path& folder, Split split);

/// True when the folder holds the JSON file of this part.
bool has_squad(const std::filesystem::path& folder, Split split);

}  // namespace flyball
