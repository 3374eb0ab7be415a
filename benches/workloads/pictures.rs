//! Workloads with divergent control flow: Mandelbrot and a ray marcher.

use oxicl_client::{Buffer, Kernel};

use super::{Made, Unit, Work, Workload, check};
use crate::{Failure, Session, kernels};

struct Mandelbrot {
    kernel: Kernel,
    out: Buffer<u32>,
    shape: [usize; 2],
    expected: Vec<u32>,
}

const LIMIT: u32 = 256;

/// `size` columns and three quarters as many rows (rounded up), up to 256 iterations.
pub fn mandelbrot(session: &Session, size: usize) -> Made {
    let shape = [size, (size * 3).div_ceil(4)];
    let step = 3.0f32 / size as f32;
    let (left, top) = (-2.2f32, -1.125f32);
    let kernel = session.kernel(kernels::MANDELBROT, "mandelbrot")?;
    let out = Buffer::new(&session.context, shape[0] * shape[1])?;
    kernel.set_buffer(0, &out)?;
    kernel.set(1, left)?;
    kernel.set(2, top)?;
    kernel.set(3, step)?;
    kernel.set(4, LIMIT)?;
    let expected = (0..out.len())
        .map(|i| iterations(left + step * (i % shape[0]) as f32, top + step * (i / shape[0]) as f32))
        .collect();
    Ok(Box::new(Mandelbrot { kernel, out, shape, expected }))
}

fn iterations(cx: f32, cy: f32) -> u32 {
    let (mut zx, mut zy) = (0.0f32, 0.0f32);
    for count in 0..LIMIT {
        let (xx, yy) = (zx * zx, zy * zy);
        if xx + yy > 4.0 {
            return count;
        }
        (zx, zy) = (xx - yy + cx, 2.0 * zx * zy + cy);
    }
    LIMIT
}

impl Workload for Mandelbrot {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, self.shape, None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        // Near the border of the set one rounding decides: the kernel is contracted, the host's loop is not.
        let found: Vec<f32> = session.queue.read(&self.out)?.iter().map(|n| *n as f32).collect();
        let expected: Vec<f32> = self.expected.iter().map(|n| *n as f32).collect();
        check::close_or_few("iterations", &found, &expected, 0.01, 2 + found.len() / 50)
    }

    fn work(&self) -> Work {
        let total: f64 = self.expected.iter().map(|n| f64::from(*n)).sum();
        Work { amount: total, unit: Unit::Each("iterations") }
    }
}

struct RayMarch {
    kernel: Kernel,
    out: Buffer<f32>,
    shape: [usize; 2],
    expected: Vec<f32>,
}

/// A picture of `size` columns and three quarters as many rows (rounded up).
pub fn raymarch(session: &Session, size: usize) -> Made {
    let shape = [size, (size * 3).div_ceil(4)];
    let kernel = session.kernel(kernels::RAYMARCH, "raymarch")?;
    let out = Buffer::new(&session.context, shape[0] * shape[1])?;
    kernel.set_buffer(0, &out)?;
    kernel.set(1, shape[0] as i32)?;
    kernel.set(2, shape[1] as i32)?;
    let expected = (0..out.len()).map(|i| brightness(i % shape[0], i / shape[0], shape)).collect();
    Ok(Box::new(RayMarch { kernel, out, shape, expected }))
}

type Point = [f32; 3];

fn along(from: Point, direction: Point, t: f32) -> Point {
    [0, 1, 2].map(|axis| from[axis] + direction[axis] * t)
}

fn dot(a: Point, b: Point) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(p: Point) -> Point {
    let length = dot(p, p).sqrt();
    p.map(|value| value / length)
}

fn scene(p: Point) -> f32 {
    let c = [p[0] + 0.9, p[1] - 0.2, p[2]];
    let sphere = dot(c, c).sqrt() - 0.8;
    let q = [(p[0] - 1.0).abs() - 0.5, p[1].abs() - 0.6, (p[2] - 0.3).abs() - 0.5];
    let outside = q.map(|value| value.max(0.0));
    let solid = dot(outside, outside).sqrt() + q[0].max(q[1].max(q[2])).min(0.0) - 0.05;
    (p[1] + 0.65).min(sphere.min(solid))
}

fn shadow(p: Point, to_light: Point) -> f32 {
    let (mut light, mut t) = (1.0f32, 0.02f32);
    for _ in 0..32 {
        if t >= 6.0 {
            break;
        }
        let d = scene(along(p, to_light, t));
        if d < 0.001 {
            return 0.0;
        }
        light = light.min(8.0 * d / t);
        t += d.clamp(0.02, 0.4);
    }
    light
}

fn brightness(x: usize, y: usize, [width, height]: [usize; 2]) -> f32 {
    let (width, height) = (width as f32, height as f32);
    let u = (2.0 * x as f32 - width) / height;
    let v = (height - 2.0 * y as f32) / height;
    let eye = [0.0, 0.6, -4.0];
    let ray = unit([u, v - 0.2, 2.0]);
    let to_light = unit([0.6, 0.9, -0.5]);
    let mut t = 0.0f32;
    for _ in 0..96 {
        if t >= 20.0 {
            break;
        }
        let d = scene(along(eye, ray, t));
        if d < 0.001 {
            let p = along(eye, ray, t);
            let slope = |axis: usize| {
                let mut step = [0.0; 3];
                step[axis] = 0.001;
                scene(along(p, step, 1.0)) - scene(along(p, step, -1.0))
            };
            let n = unit([slope(0), slope(1), slope(2)]);
            return 0.1 + 0.9 * dot(n, to_light).max(0.0) * shadow(along(p, n, 0.01), to_light);
        }
        t += d;
    }
    0.1 + 0.4 * v.clamp(0.0, 1.0)
}

impl Workload for RayMarch {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, self.shape, None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        // A ray that grazes an edge hits or misses by one rounding.
        let few = 2 + self.expected.len() / 50;
        check::close_or_few("brightness", &session.queue.read(&self.out)?, &self.expected, 0.02, few)
    }

    fn work(&self) -> Work {
        Work { amount: self.expected.len() as f64, unit: Unit::Each("rays") }
    }
}
