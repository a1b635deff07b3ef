internal import RxJSON

/// The observers of one execution. Used with the event log's lock held.
///
/// An element concerns only those that want it: a thousand requests that wait for the end cost nothing before it.
struct ExecutionObservers {
    /// The observers of each event.
    private(set) var ofEvents = ObserverQueue()
    /// The observers of the end, with or without elements.
    private var ofEnd = ObserverQueue()
    /// One for each user, and each limit, with observers that collect elements.
    private var collections: [ElementCollection] = []
    private var last: UInt64 = 0

    var count: Int { ofEvents.count + ofEnd.count }
    var isEmpty: Bool { count == 0 }

    /// Adds an observer.
    ///
    /// - Parameters:
    ///   - recording: the past of the execution, as far as it is kept.
    ///   - published: the number of elements so far.
    mutating func add(_ observer: ExecutionObserver, _ recording: SharedRecording? = nil, published: Int = 0) {
        last += 1
        observer.number = last
        switch observer.interest {
        case .events: ofEvents.append(observer)
        case .end: ofEnd.append(observer)
        case .elements(let collecting):
            ofEnd.append(observer)
            collect(for: observer, collecting, recording, published)
        }
    }

    /// Has an observer of an execution that has ended collect the elements that are kept.
    mutating func collectPast(for observer: ExecutionObserver, _ recording: SharedRecording, published: Int) {
        guard case .elements(let collecting) = observer.interest else { return }
        collect(for: observer, collecting, recording, published)
        for index in collections.indices { collections[index].end() }
    }

    private mutating func collect(
        for observer: ExecutionObserver, _ collecting: ElementCollecting, _ recording: SharedRecording?,
        _ published: Int
    ) {
        collections.removeAll { !$0.isNeeded }
        let index = collections.firstIndex { $0.isFor(collecting) } ?? collections.count
        if index == collections.count { collections.append(ElementCollection(for: collecting)) }
        collections[index].add(observer, recording, published: published)
    }

    mutating func remove(_ observer: ExecutionObserver) {
        switch observer.interest {
        case .events: ofEvents.remove(observer)
        case .end: ofEnd.remove(observer)
        case .elements:
            ofEnd.remove(observer)
            for index in collections.indices { collections[index].remove(observer) }
        }
    }

    /// Collects an element for those that want it at the end.
    mutating func collect(_ element: RawJSON) {
        for index in collections.indices { collections[index].append(element) }
    }

    /// Removes all of them, in the order in which they came: the execution has ended.
    mutating func removeAll() -> [ExecutionObserver] {
        for index in collections.indices { collections[index].end() }
        defer { (ofEvents, ofEnd, collections) = (ObserverQueue(), ObserverQueue(), []) }
        if ofEvents.isEmpty { return ofEnd.all }
        return (ofEvents.all + ofEnd.all).sorted { $0.number < $1.number }
    }
}

/// Observers in the order in which they came. Removing one takes logarithmic time, on average.
struct ObserverQueue {
    /// Removed places that are tolerated in any case.
    private static let spent = 16

    private var places: [(number: UInt64, observer: ExecutionObserver?)] = []
    /// The places before this one are empty.
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var all: [ExecutionObserver] { places[head...].compactMap { $0.observer } }

    /// The one that came first.
    var first: ExecutionObserver? { head < places.count ? places[head].observer : nil }

    func forEach(_ body: (ExecutionObserver) -> Void) {
        for place in places[head...] {
            if let observer = place.observer { body(observer) }
        }
    }

    /// - Parameter observer: its number is larger than those of the others.
    mutating func append(_ observer: ExecutionObserver) {
        places.append((observer.number, observer))
        count += 1
    }

    mutating func remove(_ observer: ExecutionObserver) {
        var (low, high) = (head, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < observer.number { low = middle + 1 } else { high = middle }
        }
        guard low < places.count, places[low].observer === observer else { return }
        places[low].observer = nil
        count -= 1
        while head < places.count, places[head].observer == nil { head += 1 }
        guard places.count > 2 * count + Self.spent else { return }
        places = places[head...].filter { $0.observer != nil }
        head = 0
    }
}
