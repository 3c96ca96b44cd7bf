//! Stores onto constant indices that follow one another, by index: a read finds its byte without going through all of them.
//!
//! A table of a thousand elements that a loop has set is some thousand stores; going down them for each read of it takes longer than
//! all else that is done with the table.

use rustc_hash::FxHashMap;

use super::node::ArrayTerm;

/// Stores onto constant indices, each onto the array of the one before.
#[derive(Clone, Debug)]
struct Run {
    /// The array before the first of them.
    base: ArrayTerm,
    /// After each of them: the least and the greatest index so far.
    bounds: Vec<(u64, u64)>,
    /// For each index: which stores are onto it, in order, and the arrays that they make.
    stores: FxHashMap<u64, Vec<(u32, ArrayTerm)>>,
}

/// The runs of a store of terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    runs: Vec<Run>,
    /// The latest store of an array that is one of a run: which run, which of its stores.
    places: FxHashMap<ArrayTerm, (u32, u32)>,
}

impl Runs {
    /// Notes that `array` is `rest` with the byte at a constant index replaced.
    pub fn add(&mut self, array: ArrayTerm, rest: ArrayTerm, index: u64) {
        let known = self.places.get(&rest).copied();
        // What branches off a run begins another one.
        let last = |(run, nth): &(u32, u32)| {
            let stores = self.runs[*run as usize].bounds.len();
            *nth as usize + 1 == stores
        };
        let run = match known.filter(last) {
            Some((run, _)) => run,
            None => {
                self.runs.push(Run {
                    base: rest,
                    bounds: Vec::new(),
                    stores: FxHashMap::default(),
                });
                self.runs.len() as u32 - 1
            }
        };
        let own = &mut self.runs[run as usize];
        let nth = own.bounds.len() as u32;
        let (least, greatest) = own.bounds.last().copied().unwrap_or((index, index));
        own.bounds.push((least.min(index), greatest.max(index)));
        own.stores.entry(index).or_default().push((nth, array));
        self.places.insert(array, (run, nth));
    }

    /// The array to read a constant index of instead: one whose latest store is onto it, or the one before the run. `None`: its latest
    /// store is not one of a run.
    pub fn at(&self, array: ArrayTerm, index: u64) -> Option<ArrayTerm> {
        let (run, nth) = *self.places.get(&array)?;
        let run = &self.runs[run as usize];
        let stores = run.stores.get(&index).map_or(&[][..], Vec::as_slice);
        let before = stores.partition_point(|(n, _)| *n <= nth);
        let store = before.checked_sub(1).map(|n| stores[n].1);
        Some(store.unwrap_or(run.base))
    }

    /// The array before the run, if none of its stores so far is onto an index from `min` to `max`.
    pub fn before(&self, array: ArrayTerm, min: u128, max: u128) -> Option<ArrayTerm> {
        let (run, nth) = *self.places.get(&array)?;
        let run = &self.runs[run as usize];
        let (least, greatest) = run.bounds[nth as usize];
        (max < u128::from(least) || u128::from(greatest) < min).then_some(run.base)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Terms;

    #[test]
    fn a_read_is_of_the_latest_store_on_its_own_branch() {
        let mut t = Terms::new();
        let base = t.array_fresh("a");
        let k = [1, 2, 3].map(|k| t.constant(64, k));
        let byte = [10, 20, 30, 40].map(|b| t.constant(8, b));
        let one = t.store(base, k[0], byte[0]);
        let two = t.store(one, k[1], byte[1]);
        let again = t.store(two, k[0], byte[2]);
        let branch = t.store(one, k[1], byte[3]);
        assert_eq!(t.select(again, k[0]), byte[2]);
        assert_eq!(t.select(again, k[1]), byte[1]);
        assert_eq!(t.select(two, k[0]), byte[0]);
        assert_eq!(t.select(branch, k[0]), byte[0]);
        assert_eq!(t.select(branch, k[1]), byte[3]);
        let before = t.select(base, k[2]);
        assert_eq!(t.select(again, k[2]), before);
        assert_eq!(t.array_read_at(again, k[2]), base);
        assert_eq!(t.array_read_at(again, k[1]), two);
    }

    #[test]
    fn an_index_in_a_range_is_read_before_stores_outside_of_it() {
        let mut t = Terms::new();
        let base = t.array_fresh("a");
        let k = [3, 9].map(|k| t.constant(64, k));
        let x = t.fresh(8, "x");
        let one = t.store(base, k[0], x);
        let two = t.store(one, k[1], x);
        let bit = t.fresh(1, "bit");
        let index = t.zext(64, bit);
        let before = t.select(base, index);
        assert_eq!(t.select(two, index), before);
    }
}
