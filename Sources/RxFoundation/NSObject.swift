public import Foundation
public import Rx

/// `object.rx` for all classes of Foundation.
extension NSObject: ReactiveCompatible {}
