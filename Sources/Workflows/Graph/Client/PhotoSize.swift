/// The side length in pixels of a photo that Graph keeps; photos are square.
public enum PhotoSize: Int, Sendable, Hashable, CaseIterable {
    /// 48 by 48 pixels.
    case pixels48 = 48
    /// 64 by 64 pixels.
    case pixels64 = 64
    /// 96 by 96 pixels.
    case pixels96 = 96
    /// 120 by 120 pixels.
    case pixels120 = 120
    /// 240 by 240 pixels.
    case pixels240 = 240
    /// 360 by 360 pixels.
    case pixels360 = 360
    /// 432 by 432 pixels.
    case pixels432 = 432
    /// 504 by 504 pixels.
    case pixels504 = 504
    /// 648 by 648 pixels.
    case pixels648 = 648

    var segment: String { "\(rawValue)x\(rawValue)" }
}
