//! Names of the text attributes by which stages tell each other what a function is (one that has none gets every pass),
//! and of the metadata by which `lower` says where code comes from.

/// The function has loops that are to be unrolled and jammed over several work-items, which takes more compile time.
pub const TOGETHER: &str = "oxicl-together";

/// The function runs work-groups of a kernel without loops, and without calls of functions with loops: its only loops
/// are those over work-items.
pub const STRAIGHT: &str = "oxicl-straight";

/// The function is for launches that hardly anybody makes, or has very many regions: it is compiled in little time
/// rather than made fast. The value says which.
pub const RARE: &str = "oxicl-rare";

/// The value of [`RARE`] of a function with very many regions: unlike the others, it runs.
pub const MANY_REGIONS: &str = "regions";

/// The function runs gangs. Its code is vectors of lanes already, and is not vectorised again. The value says whether
/// it has nested loops.
pub const GANGS: &str = "oxicl-gangs";
/// The value of [`GANGS`] of a function with nested loops.
pub const NESTED: &str = "nested";

/// The function is the device library's, and compiled apart from its callers. They know only its name, its type and its
/// attributes.
pub const APART: &str = "oxicl-apart";

/// The function has gangs of more lanes than a register has 32-bit numbers, and no narrower numbers: each register
/// needs a mask of its own.
pub const MASK_A_REGISTER: &str = "oxicl-mask-a-register";

/// Name of the metadata that says, as text, where an instruction is in source code. Instructions have it if remarks are
/// wanted and the module has lines.
pub const PLACE_METADATA: &str = "oxicl.place";
