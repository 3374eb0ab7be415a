//! Names of text attributes by which `workgroup` tells `optimize` what a function is, where one that has none gets every pass; and
//! of the metadata by which `lower` tells it where code comes from.

/// The function has loops that are to run for several work-items together, which costs more.
pub const TOGETHER: &str = "oxicl-together";

/// The function runs work-groups of a kernel without loops, and without calls of functions with loops: its only loops are
/// those over work-items.
pub const STRAIGHT: &str = "oxicl-straight";

/// The function is for launches that hardly anybody makes, or has very many regions: it is made in little time rather than
/// fast. Its value says which.
pub const RARE: &str = "oxicl-rare";

/// The value of [`RARE`] where a function has many regions: unlike the other, it runs.
pub const MANY_REGIONS: &str = "regions";

/// What the function does is made of vectors of lanes already: it is not to be searched for vectors.
/// Its value says whether there are loops in loops.
pub const GANGS: &str = "oxicl-gangs";
/// There are.
pub const NESTED: &str = "nested";

/// The function is the device library's, and compiled apart from what calls it: whoever calls it knows no more of it than its name,
/// its type and its attributes.
pub const APART: &str = "oxicl-apart";

/// The function has masks of more lanes than a register has numbers of 32 bits, and no narrower numbers: each register wants a
/// mask of its own.
pub const MASK_A_REGISTER: &str = "oxicl-mask-a-register";

/// Name of the metadata that says, as text, where an instruction stands in source code. It is there if remarks are wanted and
/// the module has lines.
pub const PLACE_METADATA: &str = "oxicl.place";
