// The systemd units of the helper, as they travel inside the program.
#pragma once

#include <string>
#include <string_view>

namespace flyball {

/// flyball-helper.service, which runs `program`.
std::string helper_service_unit(const std::string& program);
/// flyball-helper.socket.
std::string_view helper_socket_unit();
/// flyball.conf of tmpfiles.d: the folder and file of device/session_file.h.
std::string_view measuring_folder_unit();

}  // namespace flyball
