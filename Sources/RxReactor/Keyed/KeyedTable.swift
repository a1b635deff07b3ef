/// Which chunk an identity is in: several tables, of which a change copies one.
@usableFromInline
struct KeyedTable<ID: Hashable> {
    /// So many that one of ten thousand entries has as many as a chunk has elements.
    @inlinable static var shardCount: Int { 64 }

    @usableFromInline var shards = [[ID: Int]](repeating: [:], count: KeyedTable.shardCount)

    @inlinable init() {}

    @inlinable subscript(id: ID) -> Int? {
        get { shards[shard(of: id)][id] }
        set { shards[shard(of: id)][id] = newValue }
    }

    @inlinable func shard(of id: ID) -> Int { id.hashValue & (KeyedTable.shardCount - 1) }
}
