internal import RxJSON
internal import RxRecords
internal import RxStreams
internal import RxTime

/// An element that an `on` is going to fire, and what the transaction that accepts its execution stores, so that it is
/// not fired again.
struct OwedElement: Sendable {
    enum Receipt: Sendable, Hashable {
        /// Nothing.
        case none
        /// The element was stored under a number together with the position after it. That row is removed.
        case number(Int)
        /// The position is not stored yet: the element comes again after a crash, and is recognized by this key.
        case key(String)
    }

    let element: StreamElement
    var receipt: Receipt
    /// The input that was made of it, while it waits for room in a queue.
    var input: RawJSON?
}

/// The firings that an `on` owes, of a stream with a schedule or, with `persist`, over executions: each element results
/// in exactly one.
///
/// At the end of a turn, one transaction stores the positions of the sources, the state of the steps that is kept, and
/// the elements that came out of them. Each of these is then fired, and its row is removed in the transaction that
/// accepts the execution. Elements that come out while others are still in executing steps cannot wait for that: they
/// are fired first, under a key, and are ignored when they come again. As a step may execute again and have another
/// result, or the same ones in another order, a key counts the elements of a position and does not depend on their
/// values.
struct OwedFirings: Sendable {
    private static let numberPrefix = "owed/"
    private static let keyPrefix = "fired/"

    private let owner: String
    private(set) var lastNumber = 0
    /// What has come since the last commit, and is not fired.
    private var new: [OwedElement] = []
    /// The keys whose rows the next commit removes: of what was fired since the last one, or has come again.
    private var fired: Set<String> = []
    /// The keys of what an earlier run has fired after its last commit, by position, until it comes again. They are at
    /// most those of the elements that were in the steps at once, and stay if nothing comes out of these any more.
    private var earlier: [String: [String]] = [:]
    /// The next number in a key of each position since the last commit.
    private var counts: [String: Int] = [:]

    /// - Parameter stored: the rows of the `on`.
    /// - Returns: what an earlier run owes, oldest first.
    static func restore(
        _ owner: String, stored: [String: RawJSON]
    ) -> (firings: OwedFirings, owed: [OwedElement]) {
        var firings = OwedFirings(owner: owner)
        var owed: [(Int, OwedElement)] = []
        for (name, value) in stored {
            if name.hasPrefix(keyPrefix) {
                let key = String(name.dropFirst(keyPrefix.count))
                firings.earlier[position(of: key), default: []].append(key)
            } else if name.hasPrefix(numberPrefix), let number = Int(name.dropFirst(numberPrefix.count)),
                let element = StreamElement(owed: value.value())
            {
                owed.append((number, OwedElement(element: element, receipt: .number(number))))
                firings.lastNumber = max(firings.lastNumber, number)
            }
        }
        return (firings, owed.sorted { $0.0 < $1.0 }.map(\.1))
    }

    private init(owner: String) { self.owner = owner }

    /// An element has come out of the steps.
    ///
    /// - Returns: false if it was fired before a crash; then it is ignored.
    @discardableResult
    mutating func take(_ element: StreamElement) -> Bool {
        // Without a position, it does not come again.
        guard let position = element.origin?.position?.text else {
            new.append(OwedElement(element: element, receipt: .none))
            return true
        }
        if let key = earlier[position]?.popLast() {
            fired.insert(key)
            return false
        }
        var number = counts[position, default: 0]
        while fired.contains(Self.key(position, number)) { number += 1 }
        counts[position] = number + 1
        new.append(OwedElement(element: element, receipt: .key(Self.key(position, number))))
        return true
    }

    private static func key(_ position: String, _ number: Int) -> String { "\(position)#\(number)" }

    private static func position(of key: String) -> String {
        String(key[..<(key.lastIndex(of: "#") ?? key.endIndex)])
    }

    /// Whether elements were fired under a key since the last commit. That one has to come after their acceptance:
    /// with the positions stored and their keys not, a kill would lose them.
    var hasFired: Bool { !fired.isEmpty }

    /// The positions are going to be stored.
    ///
    /// - Parameter waiting: what waits for room in a queue, oldest first.
    /// - Returns: the rows for the same transaction, and what is to be fired after it.
    mutating func commit(_ waiting: [OwedElement]) -> (rows: [StreamRow], owed: [OwedElement]) {
        var rows = fired.map { StreamRow(stream: owner, name: Self.keyPrefix + $0, value: nil) }
        var owed: [OwedElement] = []
        for var item in waiting + new {
            if case .number = item.receipt {
                owed.append(item)
                continue
            }
            lastNumber += 1
            item.receipt = .number(lastNumber)
            owed.append(item)
            rows.append(
                StreamRow(stream: owner, name: "\(Self.numberPrefix)\(lastNumber)", value: item.element.owed))
        }
        (new, fired, counts) = ([], [], [:])
        return (rows, owed)
    }

    /// What is to be fired before the positions are stored.
    mutating func takeUncommitted() -> [OwedElement] {
        defer { new = [] }
        for item in new {
            if case .key(let key) = item.receipt { fired.insert(key) }
        }
        return new
    }

    /// What has come is stored before the positions are.
    ///
    /// - Returns: the rows of one transaction, and what has come.
    mutating func commitEarly() -> (rows: [StreamRow], owed: [OwedElement]) {
        let items = takeUncommitted()
        let keys = items.flatMap { Self.rows(of: $0.receipt, owner) }
        // Not `fired`: the keys stay until the positions are stored.
        let stored = items.map { item in
            lastNumber += 1
            var item = item
            item.receipt = .number(lastNumber)
            return item
        }
        return (keys + rows(stored, with: []), stored)
    }

    /// What has come since the last commit, and is not fired, is not owed to anybody.
    mutating func dropNew() { new = [] }

    /// A number for an element that is not stored.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// The next numbers are larger than this one.
    mutating func goOn(after number: Int) { lastNumber = max(lastNumber, number) }

    /// Whether the row of this name is one of what is owed, or was fired early.
    static func isRow(_ name: String) -> Bool { name.hasPrefix(numberPrefix) || name.hasPrefix(keyPrefix) }

    /// The rows of the transaction that makes an element fired.
    static func rows(of receipt: OwedElement.Receipt, _ owner: String) -> [StreamRow] {
        switch receipt {
        case .none: []
        case .number(let number): [StreamRow(stream: owner, name: "\(numberPrefix)\(number)", value: nil)]
        case .key(let key): [StreamRow(stream: owner, name: keyPrefix + key, value: .true)]
        }
    }

    /// The rows that are stored, for a successor.
    ///
    /// - Parameter owed: what is not fired yet.
    func rows(_ owed: [OwedElement]) -> [StreamRow] {
        let unfired = Set(owed.compactMap { if case .key(let key) = $0.receipt { key } else { nil } })
        return rows(owed, with: fired.subtracting(unfired).union(earlier.values.joined()))
    }

    private func rows(_ owed: [OwedElement], with keys: Set<String>) -> [StreamRow] {
        let elements = owed.compactMap { item -> StreamRow? in
            guard case .number(let number) = item.receipt else { return nil }
            return StreamRow(stream: owner, name: "\(Self.numberPrefix)\(number)", value: item.element.owed)
        }
        return elements + keys.map { StreamRow(stream: owner, name: Self.keyPrefix + $0, value: .true) }
    }
}

extension StreamElement {
    /// Nil for a value of another version.
    fileprivate init?(owed json: JSONValue) {
        guard let value = json["value"], let time = json["time"]?.int else { return nil }
        let origin = ElementOrigin(
            position: json["position"].map { RawJSON($0) },
            scheduled: json["scheduled"]?.int.map { Instant(microseconds: Int64($0)) },
            causes: json["causes"].map { RawJSON($0) })
        self.init(
            value: RawJSON(value), time: Instant(microseconds: Int64(time)), key: json["key"].map { RawJSON($0) },
            from: json["from"].map { RawJSON($0) }, origin: origin == ElementOrigin() ? nil : origin)
    }

    fileprivate var owed: RawJSON {
        var object: JSONObject = ["value": value.value(), "time": JSONValue(Int(time.microseconds))]
        object["key"] = key?.value()
        object["from"] = from?.value()
        object["position"] = origin?.position?.value()
        object["scheduled"] = origin?.scheduled.map { JSONValue(Int($0.microseconds)) }
        object["causes"] = origin?.causes?.value()
        return RawJSON(.object(object))
    }
}
