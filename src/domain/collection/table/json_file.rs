//! Collections as JSON: a list of objects, or an object with such a list in its member `entries`. Members have the names of columns. Only one member is
//! in memory at a time, and members that are not columns are not stored.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_json::error::Category;

use super::columns::{self, Columns};
use super::{Column, Line, LineFault, MAX_FIELDS, MAX_LINES, Table, TableError};
use crate::domain::json_errors;

/// Reads a JSON file.
pub(super) fn read(text: &str) -> Result<Table, TableError> {
    let mut list = List::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = File(&mut list).deserialize(&mut reader).and_then(|()| reader.end());
    if let Some(fault) = list.fault {
        return Err(fault);
    }
    read.map_err(|error| match error.classify() {
        Category::Data => TableError::NotAList,
        _ => {
            let position = json_errors::position_of(text.as_bytes(), &error);
            TableError::MalformedJson { reason: json_errors::in_words(&error), position }
        }
    })?;
    if !list.is_found || !(list.has_objects || list.lines.is_empty()) {
        return Err(TableError::NotAList);
    }
    if !list.lines.is_empty() {
        list.columns.check()?;
    }
    Ok(Table { dialect: list.columns.dialect(None, false), lines: list.lines, blank: 0 })
}

/// The part of the file that was read so far.
#[derive(Default)]
struct List {
    /// Whether the file has a list.
    is_found: bool,
    /// Whether one of its lines is an object.
    has_objects: bool,
    columns: Columns,
    /// The place and the meaning of each member name so far.
    meanings: HashMap<String, (usize, Option<Column>)>,
    lines: Vec<Line>,
    /// Why the file is refused. If reading fails and this is `None`, the file is not valid JSON.
    fault: Option<TableError>,
}

impl List {
    /// Records the fault and returns an error that ends the reading.
    fn refuse<E: de::Error>(&mut self, fault: TableError) -> E {
        let error = E::custom(&fault);
        self.fault = Some(fault);
        error
    }

    /// The place and the meaning of members with this name.
    fn meaning(&mut self, name: &str) -> Result<(usize, Option<Column>), TableError> {
        if let Some(known) = self.meanings.get(name) {
            return Ok(*known);
        }
        if self.meanings.len() == MAX_FIELDS {
            self.fault = Some(TableError::TooWide);
            return Err(TableError::TooWide);
        }
        let meaning = self.columns.add_unread(name);
        self.meanings.insert(name.to_owned(), meaning);
        Ok(meaning)
    }
}

/// The whole file: a list, or an object that has one.
struct File<'l>(&'l mut List);

impl<'de> DeserializeSeed<'de> for File<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, file: D) -> Result<(), D::Error> {
        file.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for File<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects, or an object that has one")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, objects: A) -> Result<(), A::Error> {
        Entries(self.0).visit_seq(objects)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(is_list) = members.next_key_seed(Name(|name: &str| Ok(name == "entries")))? {
            if !is_list {
                members.next_value_seed(Member { list: self.0, is_kept: false })?;
            } else if self.0.is_found {
                return Err(self.0.refuse(TableError::NotAList));
            } else {
                members.next_value_seed(Entries(self.0))?;
            }
        }
        Ok(())
    }
}

/// A list of objects.
struct Entries<'l>(&'l mut List);

impl<'de> DeserializeSeed<'de> for Entries<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, list: D) -> Result<(), D::Error> {
        list.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut objects: A) -> Result<(), A::Error> {
        self.0.is_found = true;
        while objects.next_element_seed(Object(self.0))?.is_some() {}
        Ok(())
    }
}

/// An object: a line.
struct Object<'l>(&'l mut List);

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, object: D) -> Result<(), D::Error> {
        object.deserialize_any(self)
    }
}

impl Object<'_> {
    /// Adds a line, unless there are too many.
    fn push<E: de::Error>(self, line: impl FnOnce(u64) -> Line) -> Result<(), E> {
        let Self(list) = self;
        if list.lines.len() == MAX_LINES {
            return Err(list.refuse(TableError::TooManyLines));
        }
        let number = list.lines.len() as u64 + 1;
        list.lines.push(line(number));
        Ok(())
    }

    /// Adds an invalid line for an entry that is not an object.
    fn push_invalid<E: de::Error>(self, what: &str) -> Result<(), E> {
        let reason = LineFault::NoObject(what.to_owned());
        self.push(|number| Line { number, shown: String::new(), wanted: Err(reason) })
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Self(list) = self;
        list.has_objects = true;
        let mut cells: [Cell<'de>; Column::ALL.len()] = Default::default();
        // The name that each column has in this object: another object may use another name.
        let mut names: [Option<usize>; Column::ALL.len()] = Default::default();
        while let Some((place, meaning)) =
            members.next_key_seed(Name(|name: &str| list.meaning(name)))?
        {
            let column =
                meaning.filter(|column| names[*column as usize].is_none_or(|first| first == place));
            let cell =
                members.next_value_seed(Member { list: &mut *list, is_kept: column.is_some() })?;
            if let Some(column) = column {
                list.columns.mark_read(place, column);
                if cell != Cell::Nothing {
                    names[column as usize] = Some(place);
                }
                cells[column as usize] = cell;
            }
        }
        let nested = Column::ALL.into_iter().find(|column| cells[*column as usize] == Cell::Nested);
        let fault = nested.map(LineFault::Nested);
        let line =
            |number| columns::read_line(number, fault, |column| cells[column as usize].text());
        Object(list).push(line)
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.push_invalid("null")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        self.push_invalid("true or false")
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        self.push_invalid("a number")
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        self.push_invalid("a number")
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        self.push_invalid("a number")
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        self.push_invalid("text")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Member { list: &mut *self.0, is_kept: false })?.is_some() {}
        self.push_invalid("a list")
    }
}

/// Reads the name of a member and applies a function to it, without a copy of the name.
struct Name<F>(F);

impl<'de, T, F: FnOnce(&str) -> Result<T, TableError>> DeserializeSeed<'de> for Name<F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<T, D::Error> {
        name.deserialize_str(self)
    }
}

impl<T, F: FnOnce(&str) -> Result<T, TableError>> Visitor<'_> for Name<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        (self.0)(name).map_err(E::custom)
    }
}

/// The value of a member.
#[derive(Debug, Default, PartialEq, Eq)]
enum Cell<'t> {
    /// `null`, or a value that is not stored.
    #[default]
    Nothing,
    Text(Cow<'t, str>),
    /// A list or an object.
    Nested,
}

impl Cell<'_> {
    fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

/// Reads a value. The contents of lists and objects are skipped, down to the 128 levels that the JSON reader allows.
struct Member<'l> {
    list: &'l mut List,
    is_kept: bool,
}

impl Member<'_> {
    fn nested(&mut self) -> Member<'_> {
        Member { list: self.list, is_kept: false }
    }

    fn cell<'t, E: de::Error>(self, text: impl Into<Cow<'t, str>>) -> Result<Cell<'t>, E> {
        let text = text.into();
        if text.contains('\0') {
            return Err(self.list.refuse(TableError::Nul));
        }
        Ok(if self.is_kept { Cell::Text(text) } else { Cell::Nothing })
    }
}

impl<'de> DeserializeSeed<'de> for Member<'_> {
    type Value = Cell<'de>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Cell<'de>, D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Member<'_> {
    type Value = Cell<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Cell<'de>, E> {
        Ok(Cell::Nothing)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Cell<'de>, E> {
        self.cell(if value { "true" } else { "false" })
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Cell<'de>, E> {
        self.cell(value.to_string())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Cell<'de>, E> {
        self.cell(value.to_string())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Cell<'de>, E> {
        // The text of the number in JSON: `2.0`.
        self.cell(Number::from_f64(value).map(|number| number.to_string()).unwrap_or_default())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Cell<'de>, E> {
        self.cell(value.to_owned())
    }

    fn visit_borrowed_str<E: de::Error>(self, value: &'de str) -> Result<Cell<'de>, E> {
        self.cell(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Cell<'de>, A::Error> {
        while items.next_element_seed(self.nested())?.is_some() {}
        Ok(if self.is_kept { Cell::Nested } else { Cell::Nothing })
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Cell<'de>, A::Error> {
        while members.next_key::<IgnoredAny>()?.is_some() {
            members.next_value_seed(self.nested())?;
        }
        Ok(if self.is_kept { Cell::Nested } else { Cell::Nothing })
    }
}
