//! Which decisions may be taken for a kernel, and which were. Code that is about to take a decision asks here for it,
//! by its name and for the instruction, region or function that it is for.
//!
//! A decision may be asked for any number of times; the first time gives it its number. The first n decisions of a
//! kernel are the same whatever the limit, since each follows from those before it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use oxicl_protocol::{Decision, Switches};

/// What a decision is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// A whole function.
    Function,
    /// A region, by the number of its state.
    Region(u32),
    /// An instruction, by its number.
    Inst(u32),
}

/// A question: the number of the function, the decision, and its subject.
type Question = (usize, Decision, Subject);

#[derive(Default)]
struct Asked {
    answers: HashMap<Question, bool>,
    /// How many decisions were asked for, without disabled ones.
    count: u32,
    /// A line for each question.
    lines: Vec<String>,
    /// Names of the functions that decisions were asked for; the kernel's is the first.
    functions: Vec<String>,
}

/// The decisions for a kernel and the functions that it calls.
pub(crate) struct Gate {
    switches: Switches,
    limit: Option<u32>,
    is_misled: bool,
    /// Are lines wanted?
    tells: bool,
    asked: RefCell<Asked>,
}

impl Gate {
    /// `None` if all decisions may be taken, and nobody wants to know which were.
    pub(crate) fn new(switches: &Switches, kernel: &str, tells: bool) -> Option<Rc<Gate>> {
        let limit = switches.limit.as_ref().and_then(|limit| limit.of(kernel));
        let is_misled = switches.wrong_in.as_deref() == Some(kernel);
        let asks = tells || limit.is_some() || is_misled || !switches.disabled.is_empty();
        asks.then(|| {
            let switches = switches.clone();
            Rc::new(Gate { switches, limit, is_misled, tells, asked: RefCell::default() })
        })
    }

    fn allows(&self, question: Question, subject: impl FnOnce() -> String) -> bool {
        let mut asked = self.asked.borrow_mut();
        if let Some(answer) = asked.answers.get(&question) {
            return *answer;
        }
        let (_, decision, _) = question;
        let is_disabled = self.switches.disabled.contains(&decision);
        asked.count += u32::from(!is_disabled);
        let answer = !is_disabled && self.limit.is_none_or(|limit| asked.count <= limit);
        asked.answers.insert(question, answer);
        if self.tells && !is_disabled {
            let left_out = if answer { "" } else { " (left out)" };
            let line = format!("decision {}: {} for {}{left_out}", asked.count, decision.name(), subject());
            asked.lines.push(line);
        }
        answer
    }

    /// A line for each decision that was asked for and is not disabled.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.asked.borrow().lines.clone()
    }
}

/// The decisions for a function; all are taken if there is no gate.
#[derive(Clone, Default)]
pub(crate) struct OfFunction {
    gate: Option<Rc<Gate>>,
    number: usize,
}

impl OfFunction {
    /// Those for a function that is reached from a kernel, or for the kernel.
    pub(crate) fn new(gate: Option<&Rc<Gate>>, name: &str) -> OfFunction {
        let number = gate.map_or(0, |gate| {
            let functions = &mut gate.asked.borrow_mut().functions;
            functions.iter().position(|known| known == name).unwrap_or_else(|| {
                functions.push(name.to_owned());
                functions.len() - 1
            })
        });
        OfFunction { gate: gate.cloned(), number }
    }

    /// Those for a function that this one calls.
    pub(crate) fn of_callee(&self, name: &str) -> OfFunction {
        OfFunction::new(self.gate.as_ref(), name)
    }

    /// May a decision be taken? `text` says what it is for.
    pub(crate) fn allows(&self, decision: Decision, subject: Subject, text: impl FnOnce() -> String) -> bool {
        self.gate.as_ref().is_none_or(|gate| gate.allows((self.number, decision, subject), text))
    }

    /// Is a decision to be taken wrongly on purpose, for a test to find it?
    pub(crate) fn is_misled(&self) -> bool {
        self.gate.as_ref().is_some_and(|gate| gate.is_misled)
    }

    /// The decisions that were taken for a subject.
    pub(crate) fn taken_for(&self, subject: Subject) -> Vec<Decision> {
        let Some(gate) = &self.gate else { return Vec::new() };
        let answers = &gate.asked.borrow().answers;
        Decision::all().filter(|decision| answers.get(&(self.number, *decision, subject)) == Some(&true)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(gate: &Gate, decision: Decision, id: u32) -> bool {
        gate.allows((0, decision, Subject::Inst(id)), || format!("instruction {id}"))
    }

    #[test]
    fn the_first_decisions_are_taken_and_answers_stay() {
        let mut switches = Switches { limit: oxicl_protocol::Limit::parse("2"), ..Switches::default() };
        switches.disable("tables");
        let gate = Gate::new(&switches, "k", true).expect("it has work");
        let asked = [(Decision::Pairs, 1), (Decision::Tables, 1), (Decision::Pairs, 1), (Decision::Pairs, 2)];
        let answers: Vec<_> =
            asked.iter().chain(&[(Decision::Records, 1)]).map(|(d, id)| ask(&gate, *d, *id)).collect();
        assert_eq!(answers, [true, false, true, true, false]);
        assert!(!ask(&gate, Decision::Records, 1) && ask(&gate, Decision::Pairs, 1));
        let lines = [
            "decision 1: pairs for instruction 1",
            "decision 2: pairs for instruction 2",
            "decision 3: records for instruction 1 (left out)",
        ];
        assert_eq!(gate.lines(), lines);
    }

    #[test]
    fn there_is_no_gate_where_there_is_nothing_to_ask() {
        assert!(Gate::new(&Switches::default(), "k", false).is_none());
        let limit = oxicl_protocol::Limit::parse("m:2");
        let switches = Switches { limit, ..Switches::default() };
        assert!(Gate::new(&switches, "a", false).is_none() && Gate::new(&switches, "z", false).is_some());
    }
}
