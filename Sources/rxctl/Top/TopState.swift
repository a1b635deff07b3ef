internal import RxJSON
internal import RxTerminal

/// What `top` shows and what its keys act on: a value. `press` changes it and returns what has to be done; `TopView`
/// draws it.
struct TopState {
    enum Mode: Equatable {
        case list
        /// The filter is being typed.
        case filter
        /// A question, whose yes is this request.
        case confirm(TopRequest, question: String)
        /// The reason for a switch is being typed.
        case reason(TopItem.Kind, String, LineEditor)
        case form(TopForm)
        /// Lines to read, and the first one that is shown.
        case text(title: String, lines: [String], first: Int)
    }

    enum Connection: Equatable {
        /// Nothing has come from the daemon yet.
        case opening
        case connected
        /// Lost, for this reason; the daemon is being looked for.
        case lost(String)
    }

    /// What the daemon describes of the selected item.
    struct Details {
        let id: String
        let value: JSONValue
    }

    private(set) var snapshot = TopSnapshot(time: 0)
    private(set) var load = TopLoad()
    var connection = Connection.opening
    var mode = Mode.list
    var filter = LineEditor()
    /// The `id` of the selected item.
    private(set) var selection: String?
    /// The line of the list at its upper edge.
    private(set) var offset = 0
    var details: Details?
    /// The result of the last request, until the next key.
    var message: (text: String, isFault: Bool)?
    var past: TopPast?
    /// Whether an answer about the log is awaited.
    var isReadingLog = false
    /// The ends in the history, from before `top` and the daemon have started, by action.
    var history: [String: [TopEnd]] = [:]
    /// `--socket PATH`, if it was given.
    let globalWords: [String]

    init(globalWords: [String] = []) { self.globalWords = globalWords }

    // MARK: The present and the past

    /// Takes a snapshot. Of an action whose ends it does not have, the known ones stay.
    mutating func take(_ new: TopSnapshot) {
        let known = Dictionary(snapshot.items.map { ($0.id, $0.ends) }) { $1 }
        snapshot = new
        for index in snapshot.items.indices {
            let item = snapshot.items[index]
            guard item.kind == .action else { continue }
            guard let ends = item.ends else {
                snapshot.items[index].ends = known[item.id] ?? nil
                continue
            }
            let first = ends.first?.end ?? .max
            let older = (history[item.name] ?? []).filter { $0.end < first }
            snapshot.items[index].ends = Array((older + ends).suffix(TopEnd.most))
        }
        if let daemon = new.daemon { load.add(daemon, at: new.time) }
        connection = .connected
        settle()
    }

    /// Takes records of the history: what has ended before.
    mutating func take(history records: [JSONValue]) {
        history = [:]
        for record in records {
            guard let end = TopEnd(record) else { continue }
            history[record.text("action"), default: []].append(end)
        }
        history = history.mapValues { Array($0.sorted { $0.end < $1.end }.suffix(TopEnd.most)) }
    }

    /// The moment that is shown, in milliseconds since 1970.
    var time: Int64 { past?.time ?? snapshot.time }

    /// The items that pass the filter, as they are or were.
    var items: [TopItem] {
        let all = past?.items(snapshot.items) ?? snapshot.items
        let wanted = filter.text.lowercased()
        return wanted.isEmpty ? all : all.filter { $0.name.lowercased().contains(wanted) }
    }

    var selected: TopItem? { items.first { $0.id == selection } }

    // MARK: Selection

    /// Selects the item that is so many places further.
    mutating func move(by places: Int) {
        let items = items
        guard !items.isEmpty else { return }
        let index = items.firstIndex { $0.id == selection } ?? 0
        selection = items[min(max(0, index + places), items.count - 1)].id
    }

    /// Selects the first item if none is selected, or it has gone.
    mutating func settle() {
        let items = items
        if !items.contains(where: { $0.id == selection }) { selection = items.first?.id }
    }

    /// Moves the list so that the selected line is within so many rows, and the line above it too: the first row has
    /// the heading.
    mutating func scroll(toFit rows: Int) {
        let lines = TopList.lines(of: items)
        let selected = lines.firstIndex { $0.item?.id == selection } ?? 0
        offset = max(0, min(offset, lines.count - rows, selected - 1))
        offset = max(offset, selected - max(1, rows) + 1)
    }
}
