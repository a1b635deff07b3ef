internal import RxClient
internal import RxJSON
internal import RxProtocol

/// What a command asks of all lines of a run.
struct LineOptions {
    /// The request of each line, without its input and its key.
    var request: ExecuteRequest
    /// The most executions in flight.
    var parallel = 1
    /// Whether only the acceptance is waited for.
    var isDetached = false
    /// Whether output is printed with its input.
    var isTagged = false
    /// Whether output is printed in the order of the lines.
    var keepsOrder = false
    /// The prefix of the keys, if they are given.
    var key: String?
    /// The path of the job log.
    var resume: String?
    var style = FollowedExecution.Style()

    var action: String { request.action }

    func request(_ input: RawJSON, key: String?) -> ExecuteRequest {
        var request = request
        (request.input, request.key) = (input, key)
        return request
    }
}
