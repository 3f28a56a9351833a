// Statements and values as PostgreSQL reads them. Inside the room.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/database.h"

namespace flyball {

/// Marks "?" and "?7" of a statement become "$1" and "$7"; a mark whose value is NULL becomes NULL,
/// as a parameter needs a type. What stands in '…' stays.
std::string postgres_statement(std::string_view sql, std::span<const Value> values);

/// Text as PostgreSQL takes it: without NUL, and with U+FFFD for what is not UTF-8.
std::string well_formed(std::string_view text);
/// A value as text, as a parameter and in rows of COPY: texts well formed, blobs in
/// hexadecimal digits. Not for NULL.
std::string postgres_text(const Value& value);
/// A row of COPY's text format, with its line end.
void append_copy_row(std::string& to, std::span<const Value> row);
/// The bytes of "\x0aff". Nothing of it: the text is not of this form.
std::string bytes_of_hex(std::string_view text);

}  // namespace flyball
