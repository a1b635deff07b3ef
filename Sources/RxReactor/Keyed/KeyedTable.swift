/// Which chunk an identity is in: several tables, of which a change copies one.
struct KeyedTable<ID: Hashable> {
    /// So many that one of ten thousand entries has as many as a chunk has elements.
    private static var shardCount: Int { 64 }

    private var shards = [[ID: Int]](repeating: [:], count: KeyedTable.shardCount)

    subscript(id: ID) -> Int? {
        get { shards[shard(of: id)][id] }
        set { shards[shard(of: id)][id] = newValue }
    }

    private func shard(of id: ID) -> Int { id.hashValue & (KeyedTable.shardCount - 1) }
}
