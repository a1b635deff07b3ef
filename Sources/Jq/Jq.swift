// Jq: runs jq programs on JSON texts within this process.
//
// Rules for users:
// - Compilation takes about 15 ms, because jq compiles its own library each time; an evaluation takes a microsecond or
//   two. Compile once. A compiled program must be used by one thread at a time.
// - Numbers are doubles: an integer beyond 2^53 loses digits. This is acceptable for conditions, not for copying.
// - Bounded: the length of the program, the bytes and depth of the input, and the number, bytes, and depth of the
//   answers. NOT bounded: time (`repeat(.)` without output runs forever) and memory (`[range(1e10)]`), because jq
//   cannot be interrupted; if memory runs out, jq aborts the process. A few faults of jq 1.6 also abort it, such as a
//   date beyond the range of the C library (`1e300 | todate`). Programs must therefore come from the owner of the
//   process, never from its clients.
// - jq 1.6 leaks a few dozen bytes at each `index(…)` in an array, and more if a program leaves an iteration over an
//   object early (`first(.[])`, `any(.[]; …)`); `map(…) | any` does not leak.
// - A program can read the environment (`env`), the clock (`now`), and the definitions in `~/.jq`. It finds no modules
//   and no further `input`. `debug` prints nothing, and `stderr` writes to descriptor 2.
//
// LocalEvaluator runs the programs of streams, which are wrapped so that `now` is the time of an element; they share
// their evaluation with the daemon's workers, in CJq/stream_program.c.
//
// Reading order: JqCondition, JqProgram, JqError, Evaluation; Streams/LocalEvaluator.
