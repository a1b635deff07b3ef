/// Full-screen programs on a terminal.
///
/// Rules:
/// - What is shown is a value: a ``Frame``, rows of styled cells. Making one needs no terminal, so frames are
///   compared with golden texts (``Frame/text``).
/// - What is written is a difference: ``FrameUpdate`` turns two frames into the bytes that change one into the other,
///   in one synchronized update, so that no terminal shows half of it.
/// - What is typed is a value: ``KeyDecoder`` turns bytes into ``Key`` values. The mouse stays the terminal's own.
/// - A terminal is left as it was found: ``TerminalScreen`` restores it, and does so even when the process crashes.
///   Nothing can do that after SIGKILL of the process itself; `reset` repairs such a terminal.
///
/// Reading order: ``CellWidth``, ``Style``, ``Frame``, ``FrameUpdate``, ``Key``, ``KeyDecoder``, ``TerminalScreen``,
/// ``TerminalSignals``.
public enum RxTerminal {}
