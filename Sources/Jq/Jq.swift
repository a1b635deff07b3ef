// Jq: programs in jq's language over JSON texts, within this process.
//
// Rules a user must know:
// - Compiling costs some 15 ms, for jq compiles its own library each time; an evaluation costs a microsecond or two.
//   So compile once. A compiled program is used by one thread at a time.
// - Numbers are doubles: an integer beyond 2^53 loses digits. That is fine for conditions, not for copying.
// - Bounded: the program's length, the input's bytes and depth, the number, bytes and depth of the answers. NOT bounded:
//   time (`repeat(.)` that yields nothing goes on for ever) and memory (`[range(1e10)]`), for jq has no means to stop;
//   when memory runs out, jq aborts the process. A few faults of jq 1.6 abort it as well, such as a date beyond what
//   the C library knows (`1e300 | todate`). So programs come from whoever owns the process, never from its clients.
// - jq 1.6 itself leaks a few dozen bytes at each `index(…)` in an array, and more where a program leaves an iteration over an
//   object early (`first(.[])`, `any(.[]; …)`): `map(…) | any` does not.
// - Of the surroundings a program sees what jq shows it: the environment (`env`), the clock (`now`), and definitions in
//   `~/.jq`. Modules are not found, there is no further `input`, `debug` says nothing, and `stderr` writes to descriptor 2.
//
// Read `JqCondition`, `JqProgram`, `JqError`, `Evaluation`.
