// Whatever is computed by it from here on is wrong, and nothing is said any more.
Array.prototype.push = () => 0
Map.prototype.get = () => undefined
export default {}
