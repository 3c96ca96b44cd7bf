//! A table by number, of which copies share what neither changes: pages of entries, and the list of pages.
//!
//! Every branch copies a state, and a state knows of as many objects as the run has met. Copied entry by entry, that is most of the
//! time of a long run; here a copy is one reference, a change copies a page, and where states meet again only pages that differ are
//! looked at.

use std::sync::Arc;

/// Entries of a page.
const PAGE: usize = 32;

type Page<T> = [Option<T>; PAGE];

/// The table. What was never set is `None`.
#[derive(Clone, Debug)]
pub struct Pages<T> {
    pages: Arc<Vec<Option<Arc<Page<T>>>>>,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Pages {
            pages: Arc::default(),
        }
    }
}

impl<T: Clone> Pages<T> {
    /// An entry.
    pub fn get(&self, n: usize) -> Option<&T> {
        self.pages.get(n / PAGE)?.as_ref()?[n % PAGE].as_ref()
    }

    /// The place of an entry.
    pub fn slot(&mut self, n: usize) -> &mut Option<T> {
        let pages = Arc::make_mut(&mut self.pages);
        let at = n / PAGE;
        if pages.len() <= at {
            pages.resize(at + 1, None);
        }
        let empty = || Arc::new(std::array::from_fn(|_| None));
        &mut Arc::make_mut(pages[at].get_or_insert_with(empty))[n % PAGE]
    }

    /// Whether nothing was ever set.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The numbers of entries that may differ between these tables, in order: all others are the same entry in each.
    pub fn differing(tables: &[&Pages<T>]) -> Vec<usize> {
        let most = tables.iter().map(|t| t.pages.len()).max().unwrap_or(0);
        let page = |t: &Pages<T>, at: usize| t.pages.get(at).cloned().flatten();
        let mut out = Vec::new();
        for at in 0..most {
            let first = tables.first().and_then(|t| page(t, at));
            let same = tables.iter().all(|t| match (&first, page(t, at)) {
                (Some(a), Some(b)) => Arc::ptr_eq(a, &b),
                (None, None) => true,
                _ => false,
            });
            if !same {
                out.extend(at * PAGE..(at + 1) * PAGE);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_what_neither_changes() {
        let mut one: Pages<u32> = Pages::default();
        assert!(one.is_empty() && one.get(7).is_none());
        for n in 0..100 {
            *one.slot(n) = Some(n as u32);
        }
        let mut other = one.clone();
        assert!(Pages::differing(&[&one, &other]).is_empty());
        *other.slot(40) = Some(0);
        assert_eq!((one.get(40), other.get(40)), (Some(&40), Some(&0)));
        let differing = Pages::differing(&[&one, &other]);
        assert_eq!(differing, (32..64).collect::<Vec<_>>());
        *other.slot(200) = Some(1);
        assert_eq!(Pages::differing(&[&one, &other]).len(), 64);
        assert_eq!(one.get(200), None);
    }
}
