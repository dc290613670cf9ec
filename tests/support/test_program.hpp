// What each doctest program tells the shared main().
#pragma once

/// Why this program cannot run here, or nullptr. The reason is printed and the exit status is 77, which Meson
/// shows as skipped.
const char* reason_to_skip();

/// Says on stdout why a case could not run here. A program with such a case and no failure ends as skipped,
/// never as passed.
void note_skipped_case(const char* why);
