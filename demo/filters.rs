//! Blur and edges.

use std::time::{Duration, Instant};

use oxicl_benches::{Failure, Session};
use oxicl_client::{Buffer, Kernel, Program};

use crate::{Job, Picture, kernels};

type Pixel = [u8; 4];

/// Three passes over a picture: blur along rows, along columns, edges of the blurred picture.
#[derive(Debug)]
pub struct Filters {
    picture: Picture,
    passes: [Kernel; 3],
    outputs: [Buffer<Pixel>; 3],
    expected: Vec<Pixel>,
}

impl Filters {
    /// Builds the program and uploads the picture; also how long the build took.
    pub fn new(session: &Session, picture: Picture) -> Result<(Filters, Duration), Failure> {
        let start = Instant::now();
        let program = Program::build(&session.context, kernels::FILTERS.at(session.level), "")?;
        let mut passes = [program.kernel("blur_rows")?, program.kernel("blur_columns")?, program.kernel("sobel")?];
        let build = start.elapsed();
        let output = || Buffer::new(&session.context, picture.pixels.len());
        let outputs = [output()?, output()?, output()?];
        for (index, pass) in passes.iter_mut().enumerate() {
            pass.set_buffer(0, &outputs[index])?;
            match index.checked_sub(1) {
                Some(before) => pass.set_buffer(1, &outputs[before])?,
                None => pass.give_buffer(1, Buffer::from_slice(&session.context, &picture.pixels)?)?,
            }
            pass.set(2, picture.width as i32)?;
            pass.set(3, picture.height as i32)?;
        }
        Ok((Filters { picture, passes, outputs, expected: Vec::new() }, build))
    }

    /// The result on the device.
    pub fn result(&self, session: &Session) -> Result<Picture, Failure> {
        let pixels = session.queue.read(&self.outputs[2])?;
        Ok(Picture { width: self.picture.width, height: self.picture.height, pixels })
    }
}

impl Job for Filters {
    fn name(&self) -> String {
        format!("blur and edges, {}x{}", self.picture.width, self.picture.height)
    }

    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        for pass in &self.passes {
            session.queue.launch(pass, [self.picture.width, self.picture.height], None)?;
        }
        Ok(())
    }

    fn on_host(&mut self) {
        let (width, height) = (self.picture.width, self.picture.height);
        let rows = blurred(&self.picture.pixels, width, height, 1, 0);
        let both = blurred(&rows, width, height, 0, 1);
        self.expected = edges(&both, width, height);
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        let found = self.result(session)?.pixels;
        // The square root may be off by a rounding, and so the brightness by one.
        let same = |a: &Pixel, b: &Pixel| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1);
        match found.iter().zip(&self.expected).position(|(a, b)| !same(a, b)) {
            Some(i) => Err(Failure::Wrong(format!("pixel {i} is {:?}, not {:?}", found[i], self.expected[i]))),
            None if found.len() != self.expected.len() => Err(Failure::Wrong("pixels are missing".to_owned())),
            None => Ok(()),
        }
    }

    fn work(&self) -> (f64, &'static str) {
        // Each pass reads and writes every pixel once.
        (3.0 * 2.0 * 4.0 * self.picture.pixels.len() as f64, "B")
    }
}

/// One pass of the blur along a direction.
fn blurred(pixels: &[Pixel], width: usize, height: usize, step_x: isize, step_y: isize) -> Vec<Pixel> {
    let mut out = Vec::with_capacity(pixels.len());
    for y in 0..height {
        for x in 0..width {
            let mut sum = [8i32; 4];
            for (weight, distance) in [(1, -2), (4, -1), (6, 0), (4, 1), (1, 2)] {
                let near_x = (x as isize + distance * step_x).clamp(0, width as isize - 1) as usize;
                let near_y = (y as isize + distance * step_y).clamp(0, height as isize - 1) as usize;
                for (total, value) in sum.iter_mut().zip(pixels[near_y * width + near_x]) {
                    *total += weight * i32::from(value);
                }
            }
            out.push(sum.map(|total| (total >> 4) as u8));
        }
    }
    out
}

fn edges(pixels: &[Pixel], width: usize, height: usize) -> Vec<Pixel> {
    let bright = |x: isize, y: isize| {
        let x = x.clamp(0, width as isize - 1) as usize;
        let y = y.clamp(0, height as isize - 1) as usize;
        let [r, g, b, _] = pixels[y * width + x].map(i32::from);
        (77 * r + 150 * g + 29 * b) >> 8
    };
    let mut out = Vec::with_capacity(pixels.len());
    for y in 0..height as isize {
        for x in 0..width as isize {
            let column = |dx: isize| bright(x + dx, y - 1) + 2 * bright(x + dx, y) + bright(x + dx, y + 1);
            let row = |dy: isize| bright(x - 1, y + dy) + 2 * bright(x, y + dy) + bright(x + 1, y + dy);
            let (across, down) = (column(1) - column(-1), row(1) - row(-1));
            let value = ((across * across + down * down) as f32).sqrt().min(255.0) as u8;
            out.push([value, value, value, 255]);
        }
    }
    out
}
