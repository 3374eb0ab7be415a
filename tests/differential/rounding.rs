//! Kernels that leave it open which products and sums are rounded once.

use oxicl_generator::Random;

/// Statements in which products and sums may be rounded once or twice, of lanes and of what is the same for all.
const OPEN: [&str; 10] = [
    "f = f * 0.9f + g;",
    "g = g - f * 0.11f;",
    "h = h * h * 0.003f + 0.7f;",
    "if ((a ^ d) & 1u) f = f * h - g;",
    "for (uint i = 0u; i < (u & 3u); ++i) g = g * 0.8f + f * 0.3f;",
    "for (uint i = 0u; i < (b & 3u); ++i) { f = h - f * 0.7f; if (c & i) g += f * h; }",
    "{ float4 v = (float4)(f, g, h, 1.5f); v = v * v.wzyx + v * 0.3f; f = v.x; g = v.y - v.z * 0.01f; }",
    "x = x * 1.1 + f;",
    "x = (double)g - x * 0.3;",
    "{ float t = f * g; if (a & 2u) h = t + h * 0.1f; f = fmod(t, 1000.0f) - f; }",
];

/// A kernel with some of these behind its other statements.
pub(crate) fn with_open(source: &str, random: &mut Random) -> String {
    let mut lines = vec![
        "float f = (float)(a & 0xffffu) * 0.37f, g = (float)(b & 0xffu) * 1.7f, h = (float)(n & 0xffffu) * 0.3f;",
        "double x = (double)c * 0.1;",
    ];
    lines.extend((0..4 + random.below(8)).map(|_| *random.pick(&OPEN)));
    lines.push("a ^= BITS_float(f); b ^= BITS_float(g); c ^= BITS_float(h); d ^= (uint)BITS_double(x);");
    let end = "out[me * 8u + 0u] = a;";
    source.replace(end, &format!("{}\n{end}", lines.join("\n")))
}

/// A module whose kernels leave it open which products and sums are rounded once.
pub(crate) fn opened(words: &[u32]) -> Vec<u32> {
    const HEADER: usize = 5;
    const EXECUTION_MODE: u32 = 16;
    const CONTRACTION_OFF: u32 = 31;
    let (mut kept, mut at) = (words[..HEADER].to_vec(), HEADER);
    while at < words.len() {
        let instruction = &words[at..at + (words[at] >> 16) as usize];
        let is_mode = instruction[0] & 0xFFFF == EXECUTION_MODE && instruction[2] == CONTRACTION_OFF;
        kept.extend(instruction.iter().filter(|_| !is_mode));
        at += instruction.len();
    }
    kept
}
