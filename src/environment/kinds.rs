//! Entry points of objects of which a device has several: what keeps two of one object apart says nothing of two.

use serde::{Deserialize, Serialize};

/// That an entry point gets one of several objects of a kind, which the device has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneOf {
    /// The object.
    pub object: String,
    /// Shared objects of which each of these has one of its own, itself among them.
    pub own: Vec<String>,
    /// Names of locks that keep it apart from those of another one, too.
    pub still: Vec<String>,
}

/// A resource whose users call an entry point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// What is used, for people.
    pub resource: String,
    /// Who calls it.
    pub by: User,
}

/// Who calls a function that uses a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum User {
    /// Who has the resource for itself.
    Only,
    /// That one, and those who share one with others.
    Any,
}

/// The ops objects in which an entry point stands, where each object that it may be called for has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnOps {
    /// What has one ops object, for people.
    pub object: String,
    /// The ops objects: a global, and a byte offset in it.
    pub at: Vec<(String, i64)>,
}
