//! The forms in which others read a report: the words of the command line for them. `report/formats/` writes them.

/// One line for each: name, word of the command line, how names of its files end, what it is for.
macro_rules! forms {
    ($($name:ident = $code:literal, $ending:literal: $text:literal;)*) => {
        /// A form that others read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Form {
            $(#[doc = $text] $name,)*
        }

        impl Form {
            /// All of them.
            pub const ALL: &'static [Form] = &[$(Form::$name,)*];

            /// Its word.
            pub fn code(self) -> &'static str {
                match self { $(Form::$name => $code,)* }
            }

            /// How the names of files of it end.
            pub fn ending(self) -> &'static str {
                match self { $(Form::$name => $ending,)* }
            }

            /// What it is for.
            pub fn text(self) -> &'static str {
                match self { $(Form::$name => $text,)* }
            }
        }
    };
}

forms! {
    Lines = "lines", "txt": "Lines as compilers print them, for editors";
    Mail = "mail", "eml": "A text to send to a mailing list, 75 columns wide, with a subject";
    Html = "html", "html": "One page for a browser, with everything in it";
    Sarif = "sarif", "sarif": "SARIF 2.1.0, for code hosts and editors";
    Junit = "junit", "xml": "JUnit's XML, for build servers";
    Gitlab = "gitlab", "json": "GitLab's report of code quality";
}
