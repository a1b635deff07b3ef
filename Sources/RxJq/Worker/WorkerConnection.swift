/// A worker as its engine uses it: `WorkerProcess`, or a simulated one.
package protocol WorkerConnection: AnyObject {
    /// The number of bytes that are not sent yet.
    var waitingBytes: Int { get }

    /// Adds a request to the bytes to send.
    func send(_ request: WorkerRequest)

    /// Sends as many of the waiting bytes as possible now.
    func flush()

    /// Receives what is available.
    ///
    /// - Throws: the reason for the worker's end, once `next` has returned all of its replies.
    func receive() throws(WorkerEnd)

    /// Returns the next complete reply, or nil if there is none yet.
    ///
    /// - Throws: `.malformed` for bytes that are not a reply.
    func next() throws(WorkerEnd) -> WorkerReply?

    /// Kills the worker if it has not ended.
    func end()
}
