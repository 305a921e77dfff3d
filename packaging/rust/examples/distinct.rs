//! Counts the distinct lines of standard input, with a thread per processor:
//!
//!     cargo run --release --example distinct <urls.txt
//!
//! The count is low by the false positives, about one line in a million.

use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let seen = lfbloom::Filter::new(lines.len() as u64, 1e-6)?;
    let distinct = AtomicU64::new(0);
    let threads = std::thread::available_parallelism()?.get();
    std::thread::scope(|scope| {
        for part in lines.chunks(lines.len() / threads + 1) {
            let (seen, distinct) = (&seen, &distinct);
            scope.spawn(move || distinct.fetch_add(seen.claim_many(part).trues() as u64, Ordering::Relaxed));
        }
    });
    println!("{} of {} lines are distinct", distinct.into_inner(), lines.len());
    Ok(())
}
