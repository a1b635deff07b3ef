// RxSources: the sources of streams that read the outside world. Each kind has a folder; nothing is opened before the
// first stream that needs it.
//
// Rules:
// - What is missing from the environment is never an error: the source reports why it waits, and tries again.
