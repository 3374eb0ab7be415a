//! Which decisions may be taken for a function, its regions and its instructions.

use oxicl_protocol::Decision;

use crate::ir::{Function, InstId, StateId};
use crate::switches::Subject;

impl From<InstId> for Subject {
    fn from(id: InstId) -> Subject {
        Subject::Inst(id.0)
    }
}

impl From<StateId> for Subject {
    fn from(state: StateId) -> Subject {
        Subject::Region(state.0)
    }
}

impl Function<'_> {
    /// May a decision be taken?
    pub(crate) fn allows(&self, decision: Decision, subject: impl Into<Subject>) -> bool {
        let subject = subject.into();
        self.switches.allows(decision, subject, || match subject {
            Subject::Function => format!("the function {}", self.llvm.name()),
            Subject::Region(state) => format!("region {state}"),
            Subject::Inst(id) => {
                let inst = self.inst(InstId(id));
                format!("`{}`{}", *inst.llvm, inst.place())
            }
        })
    }
}
