/// Leaves the nice value of threads alone. Dispatch, the only caller, finds this function in place of the C library's.
///
/// Dispatch gives each of its threads a fixed nice value: 0, and less to the thread of its timers. A process that may
/// do this loses the `Nice=` of its unit, and so do the programs that these threads start. In a process that may not,
/// each thread prints "Failed to set thread priority" to the journal.
///
/// - Parameters:
///   - which: the kind of `who`.
///   - who: a process, a group, or a user.
///   - niceValue: the value that is ignored.
/// - Returns: 0, for success.
@_cdecl("setpriority")
public func setpriority(_ which: UInt32, _ who: UInt32, _ niceValue: Int32) -> Int32 { 0 }
