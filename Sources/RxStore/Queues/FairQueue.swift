internal import Rx

/// Elements of several owners, who are served in turn: one with a thousand delays those of another by one.
struct FairQueue<Owner: Hashable, Element> {
    /// Owners with elements, in the order in which they are served.
    private var owners = Queue<Owner>()
    /// Absent for an owner without any.
    private var waiting: [Owner: Queue<Element>] = [:]
    private(set) var count = 0

    func count(of owner: Owner) -> Int { waiting[owner]?.count ?? 0 }

    mutating func append(_ element: Element, of owner: Owner) {
        count += 1
        if waiting[owner] == nil { owners.append(owner) }
        waiting[owner, default: Queue()].append(element)
    }

    /// Takes the first element of the owner whose turn it is; nil if there is none.
    mutating func removeFirst() -> Element? {
        guard let owner = owners.removeFirst(), let element = waiting[owner]?.removeFirst() else { return nil }
        count -= 1
        if waiting[owner]?.isEmpty == true { waiting[owner] = nil } else { owners.append(owner) }
        return element
    }
}
