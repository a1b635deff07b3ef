/// A table with a fixed number of places that all users share. It decides who may take one more.
///
/// Nobody is refused while more than a tenth is free. The last tenth is for users who have fewer places than are left,
/// so that a few users with all that one may have do not lock out the others; of it, the last hundredth of the table is
/// for root and the daemon's own user.
package struct SharedPlaces: Sendable {
    /// The number of places.
    package let most: Int
    private let owner: UInt32

    /// - Parameter owner: the daemon's own user.
    package init(_ most: Int, owner: UInt32) {
        self.most = most
        self.owner = owner
    }

    /// - Parameters:
    ///   - own: the places that the user has.
    ///   - taken: the places that all users have.
    ///   - uid: the user; nil for what no user has requested.
    package func mayTake(_ own: Int, of taken: Int, for uid: UInt32?) -> Bool {
        let free = most - taken
        guard free > 0, free <= most / 10 else { return free > 0 }
        if let uid, uid == 0 || uid == owner { return true }
        return own < free - most / 100
    }
}
