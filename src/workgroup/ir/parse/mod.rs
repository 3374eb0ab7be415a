//! Reads the text that `print` writes: functions for tests, without LLVM.

mod cursor;
mod inst;
mod value;

use std::collections::HashMap;
use std::rc::Rc;

use oxicl_ops::{Collective, Operation};

use crate::ir::constant::{Constant, ConstantKind};
use crate::ir::instruction::{Handle, Kind, Operand};
use crate::ir::types::Type;
use crate::ir::{Block, BlockId, ConstantId, Function, Gather, InstId, Label, Parameter, StateId, Terminator};
use crate::prices::Prices;

use cursor::{Cursor, Wrong};

/// Reads a function.
///
/// # Errors
/// What is wrong, with the line.
pub(crate) fn parse(text: &str, prices: &Rc<Prices>) -> Result<Function<'static>, String> {
    let mut parser = Parser::new(prices);
    parser.find_labels(text);
    for (number, line) in (1..).zip(text.lines()) {
        parser.line(line.trim()).map_err(|why| format!("line {number}: {why}"))?;
    }
    let mut function = parser.function;
    if parser.is_open || function.blocks.is_empty() {
        return Err("the last block does not end".to_owned());
    }
    let blocks = function.blocks.len();
    let leads_nowhere = |block: &Block<'_>| match &block.terminator {
        Terminator::Branch { successors, .. } => successors.iter().any(|to| to.index() >= blocks),
        Terminator::Cut { state, .. } => state.index() >= function.states.len(),
        _ => false,
    };
    if function.blocks.iter().any(leads_nowhere) || function.states.iter().any(|first| first.index() >= blocks) {
        return Err("a block goes to one that there is not".to_owned());
    }
    super::finish(&mut function);
    function.verify()?;
    let result = function.blocks.iter().find_map(|block| match block.terminator {
        Terminator::Return(Some(operand)) => Some(function.type_of(operand).clone()),
        _ => None,
    });
    function.result = result.unwrap_or(Type::Void);
    Ok(function)
}

struct Parser {
    function: Function<'static>,
    /// The operands that names stand for.
    values: HashMap<String, Operand>,
    constants: HashMap<Constant, ConstantId>,
    /// Contents of globals.
    contents: HashMap<String, Type>,
    /// Is the current block still without its terminator?
    is_open: bool,
    /// Collective operations of fibers so far.
    collectives: u32,
}

impl Parser {
    fn new(prices: &Rc<Prices>) -> Self {
        let function = Function::empty(prices, Handle::NONE);
        let (values, constants, contents) = (HashMap::new(), HashMap::new(), HashMap::new());
        Parser { function, values, constants, contents, is_open: false, collectives: 0 }
    }

    /// Numbers the instructions in advance, as one may be used in front of its own line.
    fn find_labels(&mut self, text: &str) {
        let mut count = 0;
        let is_head = |line: &&str| ["@", "function ", "block ", "}"].iter().any(|begin| line.starts_with(begin));
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_head(line)) {
            if let Some((name, _)) = line.strip_prefix('%').and_then(|line| line.split_once(" = ")) {
                let name = Cursor::new(name).name().unwrap_or_default();
                self.values.insert(name, Operand::Inst(InstId(count)));
            }
            count += u32::from(!is_end(line));
        }
    }

    fn line(&mut self, line: &str) -> Wrong<()> {
        let mut cursor = Cursor::new(line);
        match line {
            "" | "}" => return Ok(()),
            _ if line.starts_with('@') => return self.global(&mut cursor),
            _ if cursor.eat("function") => return self.head(&mut cursor),
            _ if cursor.eat("block") => return self.begin(&mut cursor),
            _ if !self.is_open => return Err("it is in no block".to_owned()),
            _ => {}
        }
        if is_end(line) {
            self.is_open = false;
            let terminator = self.terminator(&mut cursor)?;
            if let Some(block) = self.function.blocks.last_mut() {
                block.terminator = terminator;
            }
        } else {
            let block = BlockId(self.function.blocks.len() as u32 - 1);
            let inst = self.inst(&mut cursor, block)?;
            let id = InstId(self.function.insts.len() as u32);
            if let Kind::Gathered(state) = inst.kind {
                self.give_result(state, id);
            }
            self.function.insts.push(inst);
            self.function.blocks[block.index()].insts.push(id);
        }
        if cursor.is_at_end() { Ok(()) } else { Err("there is more than was understood".to_owned()) }
    }

    /// `@name = constant TYPE`
    fn global(&mut self, cursor: &mut Cursor<'_>) -> Wrong<()> {
        cursor.expect("@")?;
        let name = cursor.name()?;
        cursor.expect("=")?;
        cursor.expect("constant")?;
        self.contents.insert(name, cursor.ty()?);
        Ok(())
    }

    /// `@name(PARAMETERS) [in fibers] [asks_storage_class] {`
    fn head(&mut self, cursor: &mut Cursor<'_>) -> Wrong<()> {
        cursor.expect("@")?;
        self.function.name = cursor.name()?;
        cursor.expect("(")?;
        self.function.parameters = cursor.list(")", parameter)?;
        for (index, parameter) in (0..).zip(&self.function.parameters) {
            let name = match &parameter.label {
                Label::Number(number) => number.to_string(),
                Label::Name(name) => name.to_string(),
                Label::None => continue,
            };
            self.values.insert(name, Operand::Parameter(index));
        }
        if cursor.eat("in") {
            cursor.expect("fibers")?;
            self.function.in_fibers = true;
        }
        self.function.asks_storage_class = cursor.eat("asks_storage_class");
        cursor.expect("{")
    }

    /// `NUMBER [of state NUMBER]:`
    fn begin(&mut self, cursor: &mut Cursor<'_>) -> Wrong<()> {
        if std::mem::replace(&mut self.is_open, true) {
            return Err("the block before does not end".to_owned());
        }
        let id = BlockId(cursor.number()?);
        if id.index() != self.function.blocks.len() {
            return Err("blocks do not come by their numbers".to_owned());
        }
        if cursor.eat("of") {
            cursor.expect("state")?;
            if cursor.number::<usize>()? != self.function.states.len() {
                return Err("states do not come by their numbers".to_owned());
            }
            self.function.states.push(id);
        }
        self.function.blocks.push(Block { insts: Vec::new(), terminator: Terminator::Unreachable });
        cursor.expect(":")
    }

    fn terminator(&mut self, cursor: &mut Cursor<'_>) -> Wrong<Terminator<'static>> {
        match cursor.word()? {
            "unreachable" => Ok(Terminator::Unreachable),
            "ret" if cursor.eat("void") => Ok(Terminator::Return(None)),
            "ret" => Ok(Terminator::Return(Some(self.typed(cursor)?))),
            "br" if cursor.peek() == "block" => Ok(branch(None, vec![block(cursor)?], Vec::new(), Vec::new())),
            "br" => {
                let condition = self.typed(cursor)?;
                cursor.expect(",")?;
                let first = block(cursor)?;
                cursor.expect(",")?;
                let successors = vec![first, block(cursor)?];
                Ok(branch(Some(condition), successors, Vec::new(), weights(cursor)?))
            }
            "switch" => {
                let condition = self.typed(cursor)?;
                cursor.expect(",")?;
                let (mut cases, mut successors) = (Vec::new(), vec![block(cursor)?]);
                cursor.expect("[")?;
                let each = cursor.list("]", |cursor| {
                    let Operand::Constant(case) = self.typed(cursor)? else { return Err("a case is none".to_owned()) };
                    cursor.expect(":")?;
                    Ok((case, block(cursor)?))
                })?;
                for (case, to) in each {
                    cases.push(case);
                    successors.push(to);
                }
                Ok(branch(Some(condition), successors, cases, weights(cursor)?))
            }
            "barrier" => {
                let state = self.next_state(cursor)?;
                Ok(Terminator::Cut { state, gather: None, llvm: Handle::NONE })
            }
            "gather" => {
                let collective = collective(cursor)?;
                cursor.expect("(")?;
                let operands = cursor.list(")", |cursor| self.typed(cursor))?;
                let state = self.next_state(cursor)?;
                let gather = Some(Gather { collective, operands, result: InstId(u32::MAX) });
                Ok(Terminator::Cut { state, gather, llvm: Handle::NONE })
            }
            word => Err(format!("`{word}` ends no block")),
        }
    }

    /// `, on to state NUMBER`
    fn next_state(&mut self, cursor: &mut Cursor<'_>) -> Wrong<StateId> {
        [",", "on", "to", "state"].into_iter().try_for_each(|word| cursor.expect(word))?;
        cursor.number().map(StateId)
    }

    /// Makes an instruction the result of the collective operation in front of a state.
    fn give_result(&mut self, wanted: StateId, id: InstId) {
        for block in &mut self.function.blocks {
            if let Terminator::Cut { state, gather: Some(gather), .. } = &mut block.terminator
                && *state == wanted
            {
                gather.result = id;
            }
        }
    }

    fn constant(&mut self, ty: Type, kind: ConstantKind) -> ConstantId {
        let next = ConstantId(self.function.constants.len() as u32);
        let constant = Constant { ty, kind };
        let id = *self.constants.entry(constant.clone()).or_insert(next);
        if id == next {
            self.function.constants.push(constant);
        }
        id
    }
}

/// Does a line end a block?
fn is_end(line: &str) -> bool {
    let word = line.split([' ', ',']).next().unwrap_or_default();
    matches!(word, "br" | "switch" | "ret" | "unreachable" | "barrier" | "gather")
}

fn branch(
    condition: Option<Operand>,
    successors: Vec<BlockId>,
    cases: Vec<ConstantId>,
    weights: Vec<u32>,
) -> Terminator<'static> {
    Terminator::Branch { condition, successors, cases, weights, llvm: Handle::NONE }
}

/// `block NUMBER`
fn block(cursor: &mut Cursor<'_>) -> Wrong<BlockId> {
    cursor.expect("block")?;
    cursor.number().map(BlockId)
}

/// `[weights [NUMBERS]]`
fn weights(cursor: &mut Cursor<'_>) -> Wrong<Vec<u32>> {
    if !cursor.eat("weights") {
        return Ok(Vec::new());
    }
    cursor.expect("[")?;
    cursor.list("]", Cursor::number)
}

fn collective(cursor: &mut Cursor<'_>) -> Wrong<Collective> {
    cursor.expect("@")?;
    match Operation::parse(&cursor.name()?, None) {
        Ok(Operation::Collective(collective)) => Ok(collective),
        _ => Err("there is no such collective operation".to_owned()),
    }
}

/// `TYPE [noalias] [byval(TYPE)] [sret] [align NUMBER] [dereferenceable(NUMBER)] %name`
fn parameter(cursor: &mut Cursor<'_>) -> Wrong<Parameter<'static>> {
    let ty = cursor.ty()?;
    let is_noalias = cursor.eat("noalias");
    let by_value = if cursor.eat("byval") { Some(cursor.within(Cursor::ty)?) } else { None };
    let is_result = cursor.eat("sret");
    let align = if cursor.eat("align") { cursor.number()? } else { 0 };
    let dereferenceable = if cursor.eat("dereferenceable") { cursor.within(Cursor::number)? } else { 0 };
    cursor.expect("%")?;
    let label = label(&cursor.name()?);
    Ok(Parameter { ty, label, is_noalias, by_value, is_result, align, dereferenceable, llvm: Handle::NONE })
}

/// What a value is called.
fn label(name: &str) -> Label {
    name.parse().map_or_else(|_| Label::Name(name.into()), Label::Number)
}
