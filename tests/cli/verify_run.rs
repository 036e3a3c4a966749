//! `cardscape verify-run`: options that exclude each other. `tests/api/printing` checks real runs.

use super::program;

/// It writes a list and checks nothing, so a file that should be checked must not be ignored.
#[test]
fn a_packing_list_is_not_shown_instead_of_a_check() {
    for checked in ["--print-file", "--packing-list"] {
        let mut command = program();
        command.args(["verify-run", "no-such-file", "--show-packing-list", checked, "other-file"]);
        let output = command.output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("cannot be used with"), "{message}");
    }
}
