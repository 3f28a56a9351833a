// What the authors' folders and files are called: the one list of their networks and boards.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "space/axis.h"

namespace flyball {

/// "mobilenet_v3" of "mobnet_train_data_final", whatever its letters: as tables name it ("yolov8n",
/// which a board calls yolo_v8n). What they call by one name is not one network in both phases.
/// "": it begins with no network's name.
std::string network_called(std::string_view name, Phase phase);
/// The network that a whole name stands for: "mobilenet_v3" of "MobNet", and not "resnet18" of
/// "resnet34". Case and punctuation do not matter; a name that is in no list stands for itself.
std::string network_named(const std::string& name, Phase phase);
/// "orin_nano" of "Orin-nano2"; "": it begins with no board's name.
std::string board_called(std::string_view name);

/// The same of the innermost folder that names one.
std::string published_network(const std::filesystem::path& folder, Phase phase);
std::string published_board(const std::filesystem::path& folder);

}  // namespace flyball
