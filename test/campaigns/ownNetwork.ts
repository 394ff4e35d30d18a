/**
 * A network of its own for a campaign, where names lead to public addresses of this machine: a service, its notary and their upstreams
 * meet there at the ports and by the rules of the real one. Needs root.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { networkInterfaces, tmpdir } from "node:os"
import { join } from "node:path"

/** Whether this process is in such a network. */
export const isInOwnNetwork = (address: string): boolean =>
  Object.values(networkInterfaces()).some((some) => some?.some((one) => one.address === address))

/** Runs this process's command once more, in a network where `name` leads to `address`. Returns its exit code. */
export const runInOwnNetwork = (name: string, address: string): number => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-network-"))
  const hosts = join(folder, "hosts")
  const resolv = join(folder, "resolv.conf")
  writeFileSync(hosts, `127.0.0.1 localhost\n${address} ${name}\n`)
  // No name server answers there, so that names are those of the file. Node takes 127.0.0.1 for "none is set", and gives up what it has asked.
  writeFileSync(resolv, "nameserver 127.0.0.2\n")
  const setUp = [
    "ip link set lo up",
    `ip address add ${address}/32 dev lo`,
    `mount --bind ${hosts} /etc/hosts`,
    `mount --bind ${resolv} /etc/resolv.conf`,
    'exec "$@"'
  ].join("\n")
  const own = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  try {
    const { status } = spawnSync("unshare", ["--net", "--mount", "sh", "-euc", setUp, "sh", ...own], {
      stdio: "inherit"
    })
    return status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
