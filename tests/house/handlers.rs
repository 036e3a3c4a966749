//! Handlers of the API: the order of their arguments, in which they are extracted.

use syn::punctuated::Punctuated;
use syn::{FnArg, ItemFn, Type};

use super::sources;

/// The caller and the permissions.
const CALLERS: [&str; 3] = ["May", "StreamPermission", "Caller"];

/// Arguments whose extraction finds no fault of the request.
const FAULTLESS: [&str; 5] = ["HttpRequest", "Data", "ClientNetwork", "AnswerForm", "Payload"];

/// The name of the type of an argument, without modules and parameters.
fn type_name(argument: &FnArg) -> String {
    let FnArg::Typed(argument) = argument else { return String::new() };
    let Type::Path(path) = &*argument.ty else { return String::new() };
    path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
}

fn is_handler(function: &ItemFn) -> bool {
    let names = function.attrs.iter().map(|attribute| attribute.path().segments.iter());
    let mut paths = names.map(|names| names.map(|name| name.ident.to_string()).collect::<Vec<_>>());
    paths.any(|path| path == ["utoipa", "path"])
}

/// Whether an argument with input of the request comes before the caller or a permission.
fn takes_input_first(arguments: &Punctuated<FnArg, syn::Token![,]>) -> bool {
    let names: Vec<String> = arguments.iter().map(type_name).collect();
    let is_one_of = |names: &[&str], name: &String| names.contains(&name.as_str());
    let last_caller = names.iter().rposition(|name| is_one_of(&CALLERS, name));
    let before = &names[..last_caller.unwrap_or_default()];
    before.iter().any(|name| !is_one_of(&CALLERS, name) && !is_one_of(&FAULTLESS, name))
}

/// Otherwise a request with an invalid token, or without the permission, would get the faults of its input.
#[test]
fn handlers_take_the_caller_before_the_input() {
    let (mut handlers, mut with_caller, mut wrong) = (0, 0, Vec::new());
    for (path, text) in sources("src/api") {
        for item in syn::parse_file(&text).unwrap().items {
            let syn::Item::Fn(function) = item else { continue };
            if is_handler(&function) {
                handlers += 1;
                let mut names = function.sig.inputs.iter().map(type_name);
                with_caller += usize::from(names.any(|name| CALLERS.contains(&name.as_str())));
                if takes_input_first(&function.sig.inputs) {
                    wrong.push(format!("{}: {}", path.display(), function.sig.ident));
                }
            }
        }
    }
    assert!(handlers > 200 && with_caller > 150, "{handlers} {with_caller}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
