// Words on their way to memory. Mesa's llvmpipe stores them in a loop over the lanes of a vector, and LLVM moves the
// last operations of a word into that loop, where each one copies whole vectors to the stack for every lane. It leaves
// a select outside. `never` is false, but of a kind that no compiler can know: a count of zero in the parameters.
fn stored(words: vec4u, never: bool) -> vec4u { return select(words, vec4u(0u), vec4<bool>(never)); }
