//! Fingerprints of kernels and their code: where a module is changed and a kernel keeps its fingerprint, it has the same code.

use oxicl_abi::Image;
use oxicl_caps::DeviceCaps;
use oxicl_compiler::flow::{Observer, compile};
use oxicl_offline::Level;
use oxicl_protocol::{CompileRequest, Progress, Tier};
use oxicl_spirv::{Fingerprint, decode, fingerprints, words_from_bytes};
use oxicl_target::Target;

const SOURCE: &str = "
    constant float table[8] = { 1, 2, 3, 5, 7, 11, 13, 17 };
    float scaled(float x, int i) { return x * table[i & 7]; }
    kernel void sums(global float *p, local float *l, int n) {
        local float own[16];
        own[get_local_id(0) & 15] = scaled(p[get_global_id(0)], n);
        l[get_local_id(0)] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < n; i++) l[get_local_id(0)] += own[(i + 3) & 15];
        p[get_global_id(0)] = l[get_local_id(0)];
    }
    kernel void parts(global uchar4 *a, global const short *b, ulong n) {
        size_t i = get_global_id(0);
        if (i < n) a[i] = convert_uchar4_sat((int4)(b[i], b[i + 1], b[i] * 3, -b[i])) + a[i].wzyx;
    }
    kernel void counts(global int *bins, global const uint *from) {
        bins[from[get_global_id(0)] % 64] += 2;
    }";

struct Silent;

impl Observer for Silent {
    fn begin(&mut self, _: Progress) {}
}

fn image(words: &[u32], kernel: &str) -> Image {
    let request = CompileRequest {
        spirv: words.to_vec(),
        kernels: vec![kernel.to_owned()],
        target: Target::named("x86-64-v3").expect("a target"),
        tier: Tier::Cheap,
        ..CompileRequest::default()
    };
    compile(&request, &mut Silent).unwrap_or_else(|failure| panic!("{kernel}: {failure}"))
}

/// The fingerprints of a module's kernels, by name, if it is valid.
fn of(words: &[u32]) -> Option<Vec<(String, Fingerprint)>> {
    let valid = oxicl_validate::validate(decode(words).ok()?, DeviceCaps::anywhere()).ok()?;
    let found = fingerprints(valid.module())?;
    let mut found: Vec<_> = found.into_iter().map(|(name, found)| (name.to_owned(), found)).collect();
    found.sort();
    Some(found)
}

#[test]
fn kernels_with_the_same_fingerprint_have_the_same_code() {
    let bytes = oxicl_offline::compile(SOURCE, Level::Plain).expect("compiles");
    let words = words_from_bytes(&bytes).expect("words");
    let before = of(&words).expect("has fingerprints");
    let images: Vec<Image> = before.iter().map(|(name, _)| image(&words, name)).collect();
    let (mut same, mut others) = (0, 0);
    for seed in 0..1_500 {
        let (_, _, mut random) = oxicl_mutator::of_seed(seed, 1);
        let mutant = oxicl_mutator::mutate(&words, &words, &mut random);
        if mutant == words {
            continue;
        }
        for found in of(&mutant).unwrap_or_default() {
            match before.iter().position(|kernel| *kernel == found) {
                Some(index) => {
                    same += 1;
                    assert_eq!(image(&mutant, &found.0), images[index], "seed {seed}, kernel {}", found.0);
                }
                None => others += 1,
            }
        }
    }
    assert!(same >= 30 && others >= 10, "{same} kernels kept their fingerprints, {others} did not");
}
