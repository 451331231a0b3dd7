// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"syscall"
)

// Environment variables with the provider to measure, and the file for the result.
const (
	measuredVariable = "BENCH_MEASURED"
	usageVariable    = "BENCH_USAGE"
)

// measure runs a provider with the arguments and streams of this process, and appends its
// peak memory in MB to the result file.
func measure(provider string) {
	command := exec.Command(provider, os.Args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	runErr := command.Run()
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		f, err := os.OpenFile(os.Getenv(usageVariable), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := fmt.Fprintf(f, "%.1f\n", float64(usage.Maxrss)/1024); err != nil {
			log.Fatal(err)
		}
		if err := f.Close(); err != nil {
			log.Fatal(err)
		}
	}
	if runErr != nil {
		log.Fatal(runErr)
	}
}
