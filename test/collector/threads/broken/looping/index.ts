const started = true
while (started) {}
export default {}
