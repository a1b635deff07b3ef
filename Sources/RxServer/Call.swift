internal import RxHost

/// Where a request came from and where its answer goes.
struct Call {
    /// The client's session.
    let session: Session
    /// The way to answer; used once.
    var reply: Reply

    /// What the server's parts share.
    var context: ServerContext { session.context }
    var host: Host { context.host }
    /// The client and its rights.
    var client: Client { session.client }
    var peer: Peer { client.peer }
    /// Everything that the client receives.
    var output: ConnectionOutput { reply.output }
}
