/// The requests of a link that wait for a connection, first in first out, in bounded memory.
struct WaitingRequests {
    /// What a request costs beside its bytes, so that the bound on bytes also bounds their number.
    private static let bytesPerRequest = 512

    private var requests: [OutgoingRequest] = []
    /// What they cost together.
    private(set) var bytes = 0

    var count: Int { requests.count }

    /// Whether one more request fits within `Connection.mostUnsentBytes`.
    func hasRoom(for request: OutgoingRequest) -> Bool {
        bytes + cost(request) <= Connection.mostUnsentBytes
    }

    mutating func append(_ request: OutgoingRequest) {
        requests.append(request)
        bytes += cost(request)
    }

    mutating func remove(_ request: OutgoingRequest) {
        guard let index = requests.firstIndex(where: { $0 === request }) else { return }
        requests.remove(at: index)
        bytes -= cost(request)
    }

    /// Removes and returns all of them, in order.
    mutating func takeAll() -> [OutgoingRequest] {
        defer { self = WaitingRequests() }
        return requests
    }

    private func cost(_ request: OutgoingRequest) -> Int { request.bytes + WaitingRequests.bytesPerRequest }
}
