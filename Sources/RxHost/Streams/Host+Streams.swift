public import RxJSON
public import RxRecords
public import RxStore

/// Something that happened in a stream, for its subscribers.
public enum StreamNews: Sendable {
    /// It emitted an element.
    case element(RawJSON)
    /// A program or a step failed: an object with `message` and what is known of the step.
    case failure(RawJSON)
    /// The outcome of an element at an `on`.
    case firing(RawJSON)
    /// Elements had to be dropped.
    case drops(StreamDrops)
}

extension Host {
    /// The streams of the configuration by name. The owner of the streams sets them, after the registry: a new set also
    /// has the rights of all subscriptions to streams checked again.
    public var streams: [String: any HostedStream] {
        get { hostedStreams.all }
        set { hostedStreams.set(newValue) }
    }

    /// The feed of a stream that is configured.
    public func streamFeed(_ name: String) -> StreamFeed? { hostedStreams.feed(name) }

    /// The feeds of all streams that are configured, by name.
    public var allStreamFeeds: [StreamFeed] { hostedStreams.allFeeds }

    /// The feeds of all streams that are no longer configured and may have events in memory or in the log, by name.
    public var formerStreamFeeds: [StreamFeed] { hostedStreams.formerFeeds }

    /// What the rights on a stream follow from, also on one that is no longer configured; nil for one that this host
    /// never had.
    public func grounds(ofStream name: String) -> StreamGrounds? { hostedStreams.grounds(name) }

    /// The elements that leave a step of a stream; nil if there is no such stream, or no such step.
    ///
    /// - Parameters:
    ///   - step: one of the stream's `places`.
    ///   - stream: the name of the stream.
    public func tap(_ step: String, of stream: String) -> TapFeed? { hostedStreams.tap(step, of: stream) }

    /// The switch of a stream; nil if it is on.
    public func manualSwitch(ofStream name: String) -> ManualSwitch? { services.manualSwitch(of: name) }

    /// Switches a stream off, so that its sources stop; or on again, with nil. To be called by one thread at a time.
    ///
    /// - Parameters:
    ///   - manual: who switches the stream off, and why; nil switches it on.
    ///   - stream: the stream.
    ///   - completion: called once, on any thread, when the switch is stored, or with the error if it is not.
    public func set(
        _ manual: ManualSwitch?, of stream: any HostedStream, completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        services.set(manual, of: stream.name)
        // A reload may have replaced the stream since the caller found it.
        (streams[stream.name] ?? stream).set(manual)
        guard let store else { return completion(nil) }
        store.set(manual, of: stream.name, completion: completion)
    }

    /// Publishes something to the subscribers of a stream; nothing if the stream is no longer configured.
    ///
    /// - Parameters:
    ///   - news: what has happened.
    ///   - stream: the name of the stream.
    ///   - time: milliseconds since 1970.
    public func publish(_ news: StreamNews, of stream: String, at time: Int64) {
        hostedStreams.publish(news, of: stream, at: time)
    }
}
