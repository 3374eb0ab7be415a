//! The functions: what is called, what it should give, and how far from that it may be.

use crate::format::Format;
use crate::reference::{self as r, Reference};

/// How far a result may be from the exact one.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// The exact result is a number of the format, and has to come out.
    Exact,
    /// The number nearest to the exact result, ties to even.
    Rounded,
    /// Units in the last place.
    Ulps(f64),
    /// Units in the last place, where neither operands nor result are denormal; those may be flushed.
    Flushed(f64),
    /// An absolute error; inputs are between -1 and 1 or where the samples say.
    Absolute(f64),
    /// An absolute error of the square of the largest input times so many units at 1.
    Products(f64),
    /// Left to the implementation: measured, not held.
    Open,
    /// Relaxed by a build option: what is allowed depends on the inputs.
    Relaxed(Judge, &'static str),
    /// The function does not exist for the format.
    None,
}

/// Says what is allowed for operands.
pub type Judge = fn(&[f64]) -> Allowed;

/// What is allowed for some inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// Any result.
    Anything,
    /// Units in the last place.
    Ulps(f64),
    /// An absolute error.
    Absolute(f64),
}

/// What the second operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// A number of the format, as all others.
    Number,
    /// An int.
    Integer,
}

/// A function to be measured.
#[derive(Clone)]
pub struct Function {
    /// As the table shows it.
    pub name: String,
    /// In OpenCL C, of `a`, `b`, ... of type `T`.
    pub expression: String,
    /// Operands.
    pub arity: usize,
    /// Type of the second.
    pub second: Second,
    /// Whether the result is an int.
    pub integer: bool,
    /// Which result is right.
    pub reference: Reference,
    /// For half, float and double.
    pub bounds: [Bound; 3],
    /// Intervals that are worth sampling, pairs of numbers.
    pub regions: Vec<f64>,
    /// Whether the sign of a zero is open.
    pub zeros: bool,
    /// Built with -cl-unsafe-math-optimizations.
    pub relaxed: bool,
}

impl Function {
    fn new(name: &str, expression: &str, arity: usize, reference: Reference, bounds: [Bound; 3]) -> Function {
        Function {
            name: name.to_owned(),
            expression: expression.to_owned(),
            arity,
            second: Second::Number,
            integer: false,
            reference,
            bounds,
            regions: Vec::new(),
            zeros: false,
            relaxed: false,
        }
    }

    fn near(mut self, regions: &[f64]) -> Function {
        self.regions = regions.to_vec();
        self
    }

    fn open_zeros(mut self) -> Function {
        self.zeros = true;
        self
    }

    fn with_int(mut self) -> Function {
        self.second = Second::Integer;
        self
    }

    fn gives_int(mut self) -> Function {
        self.integer = true;
        self
    }

    /// The bound for a format.
    pub fn bound(&self, format: Format) -> Bound {
        self.bounds[format as usize]
    }

    /// A word that names function and format.
    pub fn key(&self, format: Format) -> String {
        format!("{}/{}", self.name, format.name())
    }
}

fn ulps(half: f64, float: f64, double: f64) -> [Bound; 3] {
    [Bound::Ulps(half), Bound::Ulps(float), Bound::Ulps(double)]
}

/// All functions.
pub fn functions() -> Vec<Function> {
    let mut all = arithmetic();
    all.extend(one_operand());
    all.extend(exact_of_one());
    all.extend(two_operands());
    all.extend(exact_of_two());
    all.extend(common());
    all.extend(vectors());
    all.extend(cheap());
    all.extend(relaxed());
    all
}

fn arithmetic() -> Vec<Function> {
    use Bound::{Rounded, Ulps};
    let rounded = [Rounded; 3];
    vec![
        Function::new("OpFAdd", "a + b", 2, Reference::Real(r::add), rounded),
        Function::new("OpFSub", "a - b", 2, Reference::Real(r::subtract), rounded),
        Function::new("OpFMul", "a * b", 2, Reference::Real(r::multiply), rounded),
        Function::new("OpFDiv", "a / b", 2, Reference::Binary("mpfr_div"), [Ulps(1.0), Ulps(2.5), Rounded]),
        Function::new("fma", "fma(a, b, c)", 3, Reference::Real(r::fused), rounded),
        Function::new("mad", "mad(a, b, c)", 3, Reference::Either(r::mad), rounded),
        Function::new("sqrt", "sqrt(a)", 1, Reference::Unary("mpfr_sqrt"), [Ulps(1.5), Ulps(3.0), Rounded]),
    ]
}

const CIRCLE: &[f64] = &[-4.0, 4.0, -700.0, 700.0, -70000.0, 70000.0, -2e6, 2e6];
const TURNS: &[f64] = &[-2.0, 2.0, -1e3, 1e3, -1e6, 1e6];
const UNIT: &[f64] = &[-1.0, 1.0, -0.51, 0.51, 0.9, 1.0, -1e-3, 1e-3];
const POWERS: &[f64] = &[-1.0, 1.0, -20.0, 20.0, -110.0, 90.0, -750.0, 710.0, -1080.0, 1030.0];
const POSITIVE: &[f64] = &[0.4, 2.5, 0.99, 1.01, 0.0, 1e6];

fn one_operand() -> Vec<Function> {
    let function = |name: &'static str, bounds, regions: &[f64]| {
        let mpfr: &'static str = match name {
            "tgamma" => "mpfr_gamma",
            _ => r::mpfr_name(name),
        };
        Function::new(name, &format!("{name}(a)"), 1, Reference::Unary(mpfr), bounds).near(regions)
    };
    let mut all = Vec::new();
    for (names, bounds, regions) in [
        ("acos asin", ulps(2.0, 4.0, 4.0), UNIT),
        ("acospi asinpi", ulps(2.0, 5.0, 5.0), UNIT),
        ("atanh", ulps(2.0, 5.0, 5.0), UNIT),
        ("acosh", ulps(2.0, 4.0, 4.0), &[1.0, 2.0, 1.0, 1000.0]),
        ("asinh", ulps(2.0, 4.0, 4.0), &[-1.0, 1.0, -100.0, 100.0]),
        ("atan atanpi", ulps(2.0, 5.0, 5.0), &[-1.0, 1.0, -10.0, 10.0]),
        ("cbrt", ulps(2.0, 2.0, 2.0), &[-8.0, 8.0]),
        ("cos sin", ulps(2.0, 4.0, 4.0), CIRCLE),
        ("tan", ulps(2.5, 5.0, 5.0), CIRCLE),
        ("cospi sinpi", ulps(2.0, 4.0, 4.0), TURNS),
        ("tanpi", ulps(2.0, 6.0, 6.0), TURNS),
        ("cosh sinh", ulps(2.0, 4.0, 4.0), POWERS),
        ("tanh", ulps(2.0, 5.0, 5.0), POWERS),
        ("erf erfc", ulps(4.0, 16.0, 16.0), &[-1.0, 1.0, -6.0, 6.0, 0.0, 28.0]),
        ("exp exp2 exp10 expm1", ulps(2.0, 3.0, 3.0), POWERS),
        ("log log2 log10", ulps(2.0, 3.0, 3.0), POSITIVE),
        ("log1p", ulps(2.0, 2.0, 2.0), &[-1.0, 1.0, 0.0, 1e6]),
        ("tgamma", ulps(4.0, 16.0, 16.0), &[-4.0, 4.0, -10.0, 10.0, -40.0, 40.0, -190.0, 180.0]),
    ] {
        all.extend(names.split(' ').map(|name| function(name, bounds, regions)));
    }
    let rsqrt = Function::new("rsqrt", "rsqrt(a)", 1, Reference::Real(r::rsqrt), ulps(1.0, 2.0, 2.0));
    let open = [Bound::Open; 3];
    let gamma: &[f64] = &[0.0, 4.0, -10.0, 10.0, 0.0, 1000.0];
    let angle = Function::new("degrees", "degrees(a)", 1, Reference::Real(r::degrees), ulps(2.0, 2.0, 2.0));
    let radians = Function::new("radians", "radians(a)", 1, Reference::Real(r::radians), ulps(2.0, 2.0, 2.0));
    let sine = Function::new("sincos (sine)", "sine_of(a)", 1, Reference::Unary("mpfr_sin"), ulps(2.0, 4.0, 4.0));
    let cosine = Function::new("sincos (cosine)", "cosine_of(a)", 1, Reference::Unary("mpfr_cos"), ulps(2.0, 4.0, 4.0));
    all.extend([
        rsqrt.near(POSITIVE),
        Function::new("lgamma", "lgamma(a)", 1, Reference::Real(r::lgamma), open).near(gamma),
        Function::new("lgamma_r", "lgamma_of(a)", 1, Reference::Real(r::lgamma), open).near(gamma),
        angle,
        radians,
        sine.near(CIRCLE),
        cosine.near(CIRCLE),
    ]);
    all
}

/// Functions of one operand whose result is a number of the format.
fn exact_of_one() -> Vec<Function> {
    let exact = [Bound::Exact; 3];
    let function = |name: &str, expression: &str, host: fn(Format, &[f64]) -> f64| {
        Function::new(name, expression, 1, Reference::Host(host), exact).near(&[-9.0, 9.0, -1.0, 1.0])
    };
    vec![
        function("ceil", "ceil(a)", |_, x| x[0].ceil()),
        function("fabs", "fabs(a)", |_, x| x[0].abs()),
        function("floor", "floor(a)", |_, x| x[0].floor()),
        function("rint", "rint(a)", |_, x| x[0].round_ties_even()),
        function("round", "round(a)", |_, x| x[0].round()),
        function("trunc", "trunc(a)", |_, x| x[0].trunc()),
        function("sign", "sign(a)", |_, x| r::sign(x[0])),
        function("logb", "logb(a)", |_, x| r::logb(x[0])),
        function("ilogb", "ilogb(a)", |_, x| r::ilogb(x[0])).gives_int(),
        function("fract", "fract_of(a)", r::fract),
        function("fract (whole)", "fract_whole_of(a)", |_, x| x[0].floor()),
        function("modf", "modf_of(a)", |_, x| r::modf(x[0])),
        function("modf (whole)", "modf_whole_of(a)", |_, x| x[0].trunc()),
        function("frexp", "frexp_of(a)", |_, x| r::frexp(x[0]).0),
        function("frexp (exponent)", "frexp_exponent_of(a)", |_, x| f64::from(r::frexp(x[0]).1)).gives_int(),
        function("lgamma_r (sign)", "lgamma_sign_of(a)", |_, x| r::gamma_sign(x[0])).gives_int(),
    ]
}

fn two_operands() -> Vec<Function> {
    let pairs: &[f64] = &[-2.0, 2.0, 0.0, 3.0, -50.0, 50.0, 0.99, 1.01, -2000.0, 2000.0];
    let function = |name: &'static str, bounds| {
        let reference = Reference::Binary(r::mpfr_name(name));
        Function::new(name, &format!("{name}(a, b)"), 2, reference, bounds).near(pairs)
    };
    let power = ulps(4.0, 16.0, 16.0);
    let integer = |name: &str, reference| {
        Function::new(name, &format!("{name}(a, b)"), 2, Reference::Real(reference), power).near(pairs).with_int()
    };
    let ldexp = Function::new("ldexp", "ldexp(a, b)", 2, Reference::Real(r::ldexp), [Bound::Rounded; 3]);
    vec![
        function("atan2", ulps(2.0, 6.0, 6.0)),
        function("atan2pi", ulps(2.0, 6.0, 6.0)),
        function("hypot", ulps(2.0, 4.0, 4.0)),
        function("pow", power),
        Function::new("powr", "powr(a, b)", 2, Reference::Real(r::powr), power).near(pairs),
        integer("pown", r::pown),
        integer("rootn", r::rootn),
        ldexp.near(pairs).with_int(),
        Function::new("fdim", "fdim(a, b)", 2, Reference::Real(r::fdim), [Bound::Rounded; 3]).near(pairs),
    ]
}

/// Functions of two and three operands whose result is a number of the format.
fn exact_of_two() -> Vec<Function> {
    let exact = [Bound::Exact; 3];
    let real = |name: &'static str, mpfr: &'static str| {
        Function::new(name, &format!("{name}(a, b)"), 2, Reference::Binary(mpfr), exact)
    };
    let host = |name: &str, expression: &str, host: fn(Format, &[f64]) -> f64| {
        Function::new(name, expression, 2, Reference::Host(host), exact)
    };
    let quotient =
        Function::new("remquo (quotient)", "remquo_quotient_of(a, b)", 2, Reference::Host(r::quotient), exact);
    let mut all = vec![
        real("fmod", "mpfr_fmod"),
        real("remainder", "mpfr_remainder"),
        Function::new("remquo", "remquo_of(a, b)", 2, Reference::Binary("mpfr_remainder"), exact),
        quotient.gives_int(),
        host("copysign", "copysign(a, b)", |_, x| x[0].copysign(x[1])),
        host("fmax", "fmax(a, b)", |_, x| x[0].max(x[1])).open_zeros(),
        host("fmin", "fmin(a, b)", |_, x| x[0].min(x[1])).open_zeros(),
        host("maxmag", "maxmag(a, b)", |_, x| r::magnitude(x, true)).open_zeros(),
        host("minmag", "minmag(a, b)", |_, x| r::magnitude(x, false)).open_zeros(),
        host("nextafter", "nextafter(a, b)", r::nextafter),
        host("step", "step(a, b)", |_, x| if x[1] < x[0] { 0.0 } else { 1.0 }),
        host("fmax_common", "max(a, b)", |_, x| r::common(x, true)),
        host("fmin_common", "min(a, b)", |_, x| r::common(x, false)),
    ];
    all.push(Function::new("fclamp", "clamp(a, b, c)", 3, Reference::Host(|_, x| r::clamp(x)), exact).open_zeros());
    all
}

fn common() -> Vec<Function> {
    let unit = &[-1.0, 1.0];
    let bounds = |tolerance| [Bound::Open, Bound::Absolute(tolerance), Bound::Open];
    vec![
        Function::new("mix", "mix(a, b, c)", 3, Reference::Real(r::mix), bounds(1e-3)).near(unit),
        Function::new("smoothstep", "smoothstep(a, b, c)", 3, Reference::Real(r::smoothstep), bounds(1e-5)).near(unit),
    ]
}

fn vectors() -> Vec<Function> {
    let mut all = Vec::new();
    for n in 2..=4_usize {
        let m = n as f64;
        let list = |from: usize| {
            let names: Vec<String> = (from..from + n).map(|i| char::from(b'a' + i as u8).to_string()).collect();
            format!("(T{n})({})", names.join(", "))
        };
        let (first, second) = (list(0), list(n));
        let function = |name: &str, expression: String, arity, reference, bounds| {
            Function::new(&format!("{name} of {n}"), &expression, arity, Reference::Real(reference), bounds)
        };
        all.extend([
            function("length", format!("length({first})"), n, r::length, ulps(0.25 + 0.5 * m, 2.75 + 0.5 * m, 5.5 + m)),
            function(
                "distance",
                format!("distance({first}, {second})"),
                2 * n,
                r::distance,
                ulps(2.0 * m, 2.5 + 2.0 * m, 5.5 + 2.0 * m),
            ),
            function("normalize", format!("normalize({first}).x"), n, r::normalize, ulps(1.0 + m, 2.0 + m, 4.5 + m)),
            function("OpDot", format!("dot({first}, {second})"), 2 * n, r::dot, [Bound::Products(2.0 * m - 1.0); 3]),
            function("fast_length", format!("fast_length({first})"), n, r::length, only_float(8191.5 + m)),
            function(
                "fast_distance",
                format!("fast_distance({first}, {second})"),
                2 * n,
                r::distance,
                only_float(8191.5 + 2.0 * m),
            ),
            function("fast_normalize", format!("fast_normalize({first}).x"), n, r::normalize, only_float(8192.0 + m)),
        ]);
    }
    let cross = "cross((T3)(a, b, c), (T3)(d, e, f)).x";
    all.push(Function::new("cross", cross, 6, Reference::Real(r::cross), [Bound::Products(3.0); 3]));
    all
}

fn only_float(limit: f64) -> [Bound; 3] {
    [Bound::None, Bound::Ulps(limit), Bound::None]
}

/// The half_ and native_ forms.
fn cheap() -> Vec<Function> {
    let angle: &[f64] = &[-3.2, 3.2, -65536.0, 65536.0];
    let mut all = Vec::new();
    for (name, full, regions) in [
        ("cos", "cos", angle),
        ("sin", "sin", angle),
        ("tan", "tan", angle),
        ("exp", "exp", POWERS),
        ("exp2", "exp2", POWERS),
        ("exp10", "exp10", POWERS),
        ("log", "log", POSITIVE),
        ("log2", "log2", POSITIVE),
        ("log10", "log10", POSITIVE),
        ("rsqrt", "rsqrt", POSITIVE),
        ("sqrt", "sqrt", POSITIVE),
        ("recip", "recip", POSITIVE),
    ] {
        let reference = match full {
            "rsqrt" => Reference::Real(r::rsqrt),
            "recip" => Reference::Real(r::recip),
            _ => Reference::Unary(r::mpfr_name(full)),
        };
        let (half, native) = (format!("half_{name}(a)"), format!("native_{name}(a)"));
        let angles = matches!(name, "cos" | "sin" | "tan");
        let limited =
            if angles { Bound::Relaxed(r::half_angles, "8192 ulp up to 2^16") } else { Bound::Flushed(8192.0) };
        let half_bounds = [Bound::None, limited, Bound::None];
        let native_bounds =
            [Bound::None, Bound::Relaxed(r::native_range, "open; measured where ordinary"), Bound::None];
        all.push(Function::new(&half[..half.len() - 3], &half, 1, reference, half_bounds).near(regions));
        all.push(Function::new(&native[..native.len() - 3], &native, 1, reference, native_bounds).near(regions));
    }
    let pairs: &[f64] = &[0.0, 3.0, 0.0, 50.0, -50.0, 50.0];
    let native = [Bound::None, Bound::Relaxed(r::native_pair, "open; measured where ordinary"), Bound::None];
    for (name, reference) in [("divide", Reference::Binary("mpfr_div")), ("powr", Reference::Real(r::powr))] {
        let call = |prefix: &str| format!("{prefix}_{name}(a, b)");
        let bounds = [Bound::None, Bound::Flushed(8192.0), Bound::None];
        let half = Function::new(&format!("half_{name}"), &call("half"), 2, reference, bounds);
        all.push(half.near(pairs));
        all.push(Function::new(&format!("native_{name}"), &call("native"), 2, reference, native).near(pairs));
    }
    all
}

/// What -cl-unsafe-math-optimizations may make of single precision.
fn relaxed() -> Vec<Function> {
    let mut all: Vec<Function> = Vec::new();
    let rows: &[(&str, Judge, &'static str)] = &[
        (
            "cos sin",
            |x| r::within(x, std::f64::consts::PI, Allowed::Absolute(2f64.powi(-11))),
            "2^-11 absolute up to pi",
        ),
        ("exp exp2", |x| Allowed::Ulps(3.0 + (2.0 * x[0]).abs().floor()), "3 + floor(2 |x|) ulp"),
        ("exp10", |_| Allowed::Ulps(8192.0), "8192 ulp"),
        ("log log2 log10", r::relaxed_logarithm, "2^-21 absolute in [0.5, 2], else 3 ulp"),
        ("tan", r::relaxed_tangent, "as sin x / cos x up to pi"),
    ];
    let every = one_operand();
    for (names, allowed, text) in rows {
        for name in names.split(' ') {
            let Some(full) = every.iter().find(|f| f.name == *name) else { continue };
            let mut function = full.clone();
            function.name = format!("{name}, unsafe");
            function.bounds = [Bound::None, Bound::Relaxed(*allowed, text), Bound::None];
            function.relaxed = true;
            all.push(function);
        }
    }
    for full in two_operands() {
        let (allowed, text): (Judge, &str) = match full.name.as_str() {
            "pow" | "powr" | "pown" => (r::relaxed_power, "exp2(y log2 |x|) with relaxed exp2 and log2"),
            "rootn" => (r::relaxed_root, "exp2(log2 |x| / n) with relaxed exp2 and log2"),
            _ => continue,
        };
        let mut function = full;
        function.name = format!("{}, unsafe", function.name);
        function.bounds = [Bound::None, Bound::Relaxed(allowed, text), Bound::None];
        function.relaxed = true;
        all.push(function);
    }
    all
}
