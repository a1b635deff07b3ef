/// The lines of the list: the items, each kind under its heading.
enum TopList {
    enum Line: Equatable {
        case heading(TopItem.Kind)
        case item(TopItem)

        var item: TopItem? {
            switch self {
            case .heading: nil
            case .item(let item): item
            }
        }
    }

    static func lines(of items: [TopItem]) -> [Line] {
        var lines: [Line] = []
        var kind: TopItem.Kind?
        for item in items {
            if item.kind != kind { lines.append(.heading(item.kind)) }
            kind = item.kind
            lines.append(.item(item))
        }
        return lines
    }

    /// The lines in so many rows, from `offset` on. The first row always has the heading of what is below it.
    static func shown(_ lines: [Line], from offset: Int, rows: Int) -> [Line] {
        var shown = Array(lines.dropFirst(offset).prefix(rows))
        if let item = shown.first?.item { shown[0] = .heading(item.kind) }
        return shown
    }
}
