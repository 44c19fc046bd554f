'use strict';
// node serve.js PACKAGE FOLDER PORT: serve the objects in FOLDER on loopback until killed, or until
// standard input ends since the tests are gone.
const path = require('path');

const [packageFolder, directory, port] = process.argv.slice(2);
const S3rver = require(path.join(packageFolder, 'node_modules', '@20minutes', 's3rver'));
new S3rver({
  directory,
  address: '127.0.0.1',
  port: Number(port),
  silent: true,
  vhostBuckets: false,
}).run();
process.stdin.on('end', () => process.exit()).resume();
