package supply

// OpenVPNImage has OpenVPN, to run beside the load in a pod.
const OpenVPNImage = "docker.io/cnibench/openvpn:lab"

// openVPNPart is OpenVPN as Debian has it. The probe is in the image because
// it starts every program in a pod.
func openVPNPart() part {
	return part{
		name: OpenVPN,
		sets: []packageSet{{Name: OpenVPNImage, Packages: []string{"busybox-static", "openvpn"}, Applets: applets}},
		images: func() []imageRecipe {
			r := toolsRecipe()
			r.Name = OpenVPNImage
			return []imageRecipe{r}
		},
		bases:    []string{stepPrograms},
		duration: "less than 2 minutes and 20 MB",
	}
}
