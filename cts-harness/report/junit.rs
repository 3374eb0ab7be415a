//! JUnit's XML, which continuous integration reads: a suite for each entry, a case for each sub-test.

use quick_xml::events::{BytesText, Event};
use quick_xml::{Writer, events::BytesStart};

use super::{EntryReport, Report, TestReport};
use crate::outcome::Outcome;
use crate::{Fallible, about};

type Xml = Writer<Vec<u8>>;

/// The report as XML. A known failure counts as skipped, with its reason, so that what is red is news.
pub fn junit(report: &Report) -> Fallible<String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 1);
    let root = BytesStart::new("testsuites").with_attributes([
        ("name", format!("conformance {} {}", report.list, report.mode).as_str()),
        ("time", format!("{:.3}", report.seconds).as_str()),
    ]);
    about(xml.write_event(Event::Start(root.borrow())), "junit")?;
    for entry in &report.entries {
        about(suite(&mut xml, entry), "junit")?;
    }
    about(xml.write_event(Event::End(root.to_end())), "junit")?;
    let mut text = about(String::from_utf8(xml.into_inner()), "junit")?;
    text.push('\n');
    Ok(text)
}

/// What JUnit makes of an outcome.
enum Kind {
    Passed,
    Failure,
    Error,
    Skipped,
}

fn kind(test: &TestReport) -> Kind {
    match (test.unexpected, test.outcome) {
        (false, Outcome::Pass) => Kind::Passed,
        (false, _) => Kind::Skipped,
        (true, Outcome::Crash | Outcome::TimeOut) => Kind::Error,
        (true, _) => Kind::Failure,
    }
}

fn suite(xml: &mut Xml, entry: &EntryReport) -> std::io::Result<()> {
    let count = |wanted: fn(&Kind) -> bool| entry.tests.iter().map(kind).filter(wanted).count().to_string();
    let start = BytesStart::new("testsuite").with_attributes([
        ("name", entry.name.as_str()),
        ("tests", entry.tests.len().to_string().as_str()),
        ("failures", count(|kind| matches!(kind, Kind::Failure)).as_str()),
        ("errors", count(|kind| matches!(kind, Kind::Error)).as_str()),
        ("skipped", count(|kind| matches!(kind, Kind::Skipped)).as_str()),
        ("time", format!("{:.3}", entry.seconds).as_str()),
    ]);
    xml.write_event(Event::Start(start.borrow()))?;
    for test in &entry.tests {
        case(xml, entry, test)?;
    }
    xml.write_event(Event::End(start.to_end()))
}

fn case(xml: &mut Xml, entry: &EntryReport, test: &TestReport) -> std::io::Result<()> {
    let start = BytesStart::new("testcase").with_attributes([
        ("classname", entry.name.as_str()),
        ("name", test.name.as_str()),
        ("time", format!("{:.3}", test.seconds).as_str()),
    ]);
    let element = match kind(test) {
        Kind::Passed => return xml.write_event(Event::Empty(start)),
        Kind::Failure => "failure",
        Kind::Error => "error",
        Kind::Skipped => "skipped",
    };
    let reason = test.reason.as_deref().unwrap_or("nobody expected it");
    let message = format!("{}: {reason}", test.outcome.name());
    let inner = BytesStart::new(element).with_attributes([("message", message.as_str())]);
    // XML has no way to write most control characters, and kernels print them.
    let detail: String =
        test.detail.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect();
    xml.write_event(Event::Start(start.borrow()))?;
    xml.write_event(Event::Start(inner.borrow()))?;
    xml.write_event(Event::Text(BytesText::new(&detail)))?;
    xml.write_event(Event::End(inner.to_end()))?;
    xml.write_event(Event::End(start.to_end()))
}
